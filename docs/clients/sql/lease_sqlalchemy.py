import os

from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError

from lease import HOLDER, LEASE, OPTIONS, run

url = os.environ["DATABASE_URL"].replace("postgresql:", "postgresql+psycopg:", 1)
engine = create_engine(url, pool_pre_ping=True, connect_args=OPTIONS)
autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")


def call(procedure: str, value: object, *seen: int | None) -> dict:
    try:
        with autocommit.connect() as connection:
            more = "".join(f", cast(:seen{at} as bigint)" for at in range(len(seen)))
            statement = text(f"call coordination.{procedure}(:namespace, :name, :holder, :value{more})")
            parameters = {"namespace": LEASE[0], "name": LEASE[1], "holder": HOLDER, "value": value}
            parameters |= {f"seen{at}": value for at, value in enumerate(seen)}
            return connection.execute(statement, parameters).mappings().one()
    except DBAPIError as error:
        raise error.orig


def work(token: int) -> None:
    try:
        with engine.begin() as transaction:
            parameters = {"namespace": LEASE[0], "name": LEASE[1], "token": token}
            transaction.execute(text("select coordination.lease_assert(:namespace, :name, :token)"), parameters)
            transaction.execute(text("update account set balance = balance + 1 where name = 'a'"))
    except DBAPIError as error:
        raise error.orig


run(call, work)
