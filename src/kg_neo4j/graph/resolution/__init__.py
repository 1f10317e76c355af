"""Entity resolution: mentions that are one entity, decided with a reason, shown in the graph, and reversible.

mentions -> candidates (parts, rules, bearers, names) -> proposals -> judgement (by a model)
         -> decisions (components of mention keys) -> showing (the graph follows)
"""
