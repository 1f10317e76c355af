"""One server for programs, people and MCP clients: the graph as JSON, as pages, and as tools.

    guard (Host, Origin, token, size) -> app (routes) -> api | tools | pages -> turnstile (how many at once) -> service

`service` alone reads the graph; the others put what it returns into JSON, MCP results and HTML. Importing this package
imports neither the driver nor a model, so that the server answers within two seconds of its start.
"""
