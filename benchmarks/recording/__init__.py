"""What benchmarks/record_behaviour.py is made of: the parts, the scripted answers, and what is masked."""
