"""The way of rows in blocks: columns where rows are plain, the item form of `judging.items` for the others.

Both give the same judged blocks. `path.block_path` is the way of every file but small ones.
"""
