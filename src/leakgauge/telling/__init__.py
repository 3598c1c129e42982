"""Every finding worded once: typed results become blocks, which every face renders."""
