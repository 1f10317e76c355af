"""Who is who: mentions that are one entity, decided with a reason, shown in the graph, and taken back.

mentions -> candidates (parts, rules, bearers, names, namesakes) -> proposals -> judgement (by a model)
         -> decisions (components of mention keys) -> showing (the graph follows)
"""
