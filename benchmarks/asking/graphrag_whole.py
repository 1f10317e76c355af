"""Microsoft GraphRAG with `use_lcc: false`: communities of the whole graph.

By default the largest connected part alone has communities, and local search leaves out what has none.
"""

from asking import graphrag
from asking.frame import serve

if __name__ == "__main__":
    graphrag.OTHER["cluster_graph"] = {"use_lcc": False}
    serve(graphrag.run)
