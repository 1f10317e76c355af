"""What a person probably means: a word that no command has, an option of another program, half a word before TAB."""
