package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	namespace = "default"
	name      = "nightly-report"
	duration  = 15 * time.Second
	timeout   = 5 * time.Second
)

type leases struct {
	pool   *pgxpool.Pool
	holder string
}

func main() {
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	host, _ := os.Hostname()
	all := leases{pool, fmt.Sprintf("%s-%d-%x", host, os.Getpid(), rand.Uint64())}

	told, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if term := all.acquire(told); term != nil && !term.lead(told) {
		fmt.Println("lost")
		os.Exit(1)
	}
}

// acquire waits for the lease, or until the context ends.
func (l leases) acquire(told context.Context) *term {
	var seen *int64
	since := time.Now()
	for told.Err() == nil {
		before := time.Now()
		var acquired bool
		var token, at *int64
		statement := "call coordination.lease_acquire($1, $2, $3, $4, $5::bigint, $6::bigint)"
		row, cancel := l.call(statement, duration, seen, before.Sub(since).Milliseconds())
		err := row.Scan(nil, &at, &acquired, &token, nil)
		cancel()
		if err != nil {
			log.Print("trying again: ", err)
		} else if acquired {
			return newTerm(l, *token, before)
		} else if seen == nil || *at != *seen {
			seen, since = at, time.Now()
		}
		sleep(told, time.Second+rand.N(time.Second))
	}
	return nil
}

// call is one round trip outside of any transaction.
func (l leases) call(statement string, values ...any) (pgx.Row, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	return l.pool.QueryRow(ctx, statement, append([]any{namespace, name, l.holder}, values...)...), cancel
}

// A term is a hold of the lease, which a goroutine renews until it is lost or ended.
type term struct {
	leases
	token int64
	until atomic.Pointer[time.Time]
	ended chan struct{}
}

func newTerm(l leases, token int64, before time.Time) *term {
	t := &term{leases: l, token: token, ended: make(chan struct{})}
	t.heldSince(before)
	go t.renew()
	return t
}

func (t *term) heldSince(before time.Time) {
	until := before.Add(duration * 2 / 3)
	t.until.Store(&until)
}

func (t *term) held() bool { return time.Now().Before(*t.until.Load()) }

func (t *term) renew() {
	for wait := duration / 3; t.held(); {
		select {
		case <-t.ended:
			return
		case <-time.After(wait):
		}
		before := time.Now()
		var renewed bool
		row, cancel := t.call("call coordination.lease_renew($1, $2, $3, $4)", t.token)
		err := row.Scan(nil, nil, &renewed, nil)
		cancel()
		switch {
		case err != nil:
			log.Print("trying again: ", err)
			wait = time.Second
		case renewed:
			t.heldSince(before)
			wait = duration / 3
		default:
			t.until.Store(&time.Time{})
		}
	}
}

// lead works until the context ends, and releases the lease; false if the lease is lost before.
func (t *term) lead(told context.Context) bool {
	fmt.Println("leading", t.token)
	for t.held() && told.Err() == nil {
		var refused *pgconn.PgError
		if err := t.work(); errors.As(err, &refused) && refused.Code == "LS001" {
			return false
		} else if err != nil {
			log.Print("not written: ", err)
		}
		sleep(told, time.Second)
	}
	if told.Err() == nil {
		return false
	}
	close(t.ended)
	row, cancel := t.call("call coordination.lease_release($1, $2, $3, $4)", t.token)
	defer cancel()
	if err := row.Scan(nil, nil); err != nil {
		log.Print("not released: ", err)
	}
	return true
}

func (t *term) work() error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return pgx.BeginFunc(ctx, t.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "select coordination.lease_assert($1, $2, $3)", namespace, name, t.token); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "update account set balance = balance + 1 where name = 'a'")
		return err
	})
}

func sleep(told context.Context, wait time.Duration) {
	select {
	case <-told.Done():
	case <-time.After(wait):
	}
}
