import os

import psycopg
from psycopg.rows import dict_row

from lease import HOLDER, LEASE, OPTIONS, run


def connect() -> psycopg.Connection:
    return psycopg.connect(os.environ["DATABASE_URL"], autocommit=True, row_factory=dict_row, **OPTIONS)


def call(procedure: str, value: object, *seen: int | None) -> dict:
    arguments = ", ".join(["%s"] * 4 + ["%s::bigint"] * len(seen))
    with connect() as connection:
        return connection.execute(f"call coordination.{procedure}({arguments})", (*LEASE, HOLDER, value, *seen)).fetchone()


def work(token: int) -> None:
    with connect() as connection, connection.transaction():
        connection.execute("select coordination.lease_assert(%s, %s, %s)", (*LEASE, token))
        connection.execute("update account set balance = balance + 1 where name = 'a'")


run(call, work)
