"""One file for each row of the table. A row has a name, a peer, a target, and `measure(setting) -> Result`."""
