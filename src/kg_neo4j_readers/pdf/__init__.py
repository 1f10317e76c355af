"""PDF to text: pages, tables, footnotes, scans."""
