#!/bin/sh
# coordination-apiserver elect app -- ./lead.sh: runs ./app and replicates its app.db, to a path of this term's own below $REPLICAS.
set -e
newest=$(ls "$REPLICAS" | sort -n | tail -n 1)
rm -rf app.db app.db-* .app.db-*
if [ -n "$newest" ]; then litestream restore -o app.db "file://$REPLICAS/$newest"; fi
exec litestream replicate -exec ./app app.db "file://$REPLICAS/$LEASE_TOKEN"
