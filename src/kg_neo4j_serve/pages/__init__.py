"""One module a page, or a few that belong together. Each lists PAGES, ACTIONS and STATIC where it has any."""
