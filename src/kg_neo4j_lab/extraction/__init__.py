"""The scorecard of extraction: what an extractor finds in annotated passages, against what people found.

gold -> extract (the engine and the CSV path of a load) -> prediction -> matching -> scores -> scorecard
"""
