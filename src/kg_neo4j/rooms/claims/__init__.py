"""Claims: a third section of a model's answer, on what a text claims of one thing against or about another.

`section` has its columns and makes a row of relationships of each row; queries are in cypher/reports.
"""
