"""Where extraction runs: in this process, in processes of this machine, or in a Ray cluster.

    Entry ──> Shard: a range of a manifest, one file of extractions
      └── an engine hands shards to workers and yields a ShardReport for each
            └── Worker: reads the documents, extracts them, writes the file

Shards and reports alone travel through an engine; texts and extractions do not.
"""
