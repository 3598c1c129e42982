"""Tables in PostgreSQL: counted by the server, streamed by COPY from the snapshot of the moment they were opened."""
