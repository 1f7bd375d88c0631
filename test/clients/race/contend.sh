#!/bin/bash
# Competes for a lock with curl alone until it is killed, and prints "leading ID TOKEN" and "lost ID".
# contend.sh LOCK-URL CA-FILE TOKEN IDENTITY
lock=$1 ca=$2 bearer=$3 identity=$4

ask() { curl --silent --fail --cacert "$ca" --header "Authorization: Bearer $bearer" "$@"; }
microseconds() { echo "${EPOCHREALTIME/./}"; }
# the lock is held for two thirds of its duration after the moment before the request
renew() {
  local before
  before=$(microseconds)
  ask --max-time 1 --request PUT "$lock?holder=$identity&duration=3s" >/dev/null || return
  until=$((before + 2000000))
}

while :; do
  if token=$(ask --max-time 12 --request PUT "$lock?holder=$identity&duration=3s&wait=10s") && renew; then
    echo "leading $identity $token"
    release=$(($(microseconds) + 500000 + RANDOM * 240))
    while now=$(microseconds) && ((now < until && now < release)); do
      sleep 0.5
      renew
      # an answer that refuses
      [ $? = 22 ] && break
    done
    echo "lost $identity"
    ask --max-time 1 --request DELETE "$lock?holder=$identity" >/dev/null
  fi
  sleep "0.$((RANDOM % 9 + 1))"
done
