"""Microsoft GraphRAG with `use_lcc: false`: communities of the whole graph.

By default the largest connected part alone has communities, and local search leaves out what has none.
"""

from asking import frame, graphrag

if __name__ == "__main__":
    graphrag.OTHER["cluster_graph"] = {"use_lcc": False}
    frame.serve(graphrag.run)
