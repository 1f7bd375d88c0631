#!/bin/bash
# Checks that any server behind the load balancer is ready.
set -euo pipefail
exec 3<>/dev/tcp/127.0.0.1/8404
printf 'GET /ready HTTP/1.0\r\n\r\n' >&3
read -r _ status _ <&3
[ "$status" = 200 ]
