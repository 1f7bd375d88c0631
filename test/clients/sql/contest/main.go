// contest competes for a lease in SQL and writes under its token, without checking whether it still holds the lease. It prints
// "leading ID TOKEN", "lost ID", and five times a second "wrote COMMITTED STALE UNKNOWN LAST": how its writes have ended since the last such line,
// and the position of the last row that was committed.
//
// With --write it competes for nothing: it reads lines "LEASE TOKEN" and writes under any of these tokens, most of them stale.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	timeout = 2 * time.Second
	// A holder believes to hold its lease for two thirds of the duration.
	duration = 3 * time.Second
	// A writer whose token is stale goes on for this many attempts.
	stubbornness = 50
	// Stale tokens are taken from this many terms.
	remembered = 100
)

var (
	database = flag.String("database", "", "URL, through PgBouncer or not")
	lease    = flag.String("lease", "", "name of the lease; its table is fenced_NAME, with _ for -")
	identity = flag.String("identity", "", "this candidate's name")
	write    = flag.Int("write", 0, "writers under given tokens")

	pool                      *pgxpool.Pool
	committed, stale, unknown atomic.Int64
	lastCommitted             atomic.Int64
)

func main() {
	flag.Parse()
	config, err := pgxpool.ParseConfig(*database)
	must(err)
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.ConnConfig.ConnectTimeout = timeout
	config.MaxConns = int32(max(4, *write))
	pool, err = pgxpool.NewWithConfig(context.Background(), config)
	must(err)
	go report()
	if *write > 0 {
		writeUnderGivenTokens()
	}
	for {
		if token, until, ok := acquire(); ok {
			lead(token, until)
		}
		time.Sleep(300*time.Millisecond + rand.N(400*time.Millisecond))
	}
}

func report() {
	for range time.Tick(200 * time.Millisecond) {
		if c, s, u := committed.Swap(0), stale.Swap(0), unknown.Swap(0); c+s+u > 0 {
			fmt.Println("wrote", c, s, u, lastCommitted.Load())
		}
	}
}

func acquire() (token int64, until time.Time, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	until = time.Now().Add(duration * 2 / 3)
	var given *int64
	err := pool.QueryRow(ctx, "call coordination.lease_acquire('default', $1, $2, $3)", *lease, *identity, duration).Scan(nil, &ok, &given, nil)
	if err != nil || !ok {
		return 0, until, false
	}
	return *given, until, true
}

// lead holds the lease until it is lost, or for some seconds, after which it is released. Its writers go on.
func lead(token int64, until time.Time) {
	fmt.Println("leading", *identity, token)
	var writers sync.WaitGroup
	for range 2 {
		writers.Go(func() { writeUntilRefused(*lease, token) })
	}
	releases := time.Now().Add(500*time.Millisecond + rand.N(8*time.Second))
	for time.Now().Before(until) && time.Now().Before(releases) {
		time.Sleep(duration / 6)
		before := time.Now()
		renewed, err := call("call coordination.lease_renew('default', $1, $2, $3)", token)
		if err == nil && !renewed {
			break
		}
		if err == nil {
			until = before.Add(duration * 2 / 3)
		}
	}
	fmt.Println("lost", *identity)
	if time.Now().Before(until) {
		// an answer that is missing changes nothing: the lease expires
		_, _ = call("call coordination.lease_release('default', $1, $2, $3)", token)
	}
	writers.Wait()
}

// call answers the column that says whether it was done.
func call(statement string, token int64) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	rows, err := pool.Query(ctx, statement, *lease, *identity, token)
	if err != nil {
		return false, err
	}
	answer, err := pgx.CollectExactlyOneRow(rows, pgx.RowToMap)
	if err != nil {
		return false, err
	}
	return answer["renewed"] == true || answer["released"] == true, nil
}

func writeUntilRefused(lease string, token int64) {
	for refused := 0; refused < stubbornness; {
		if isStale(writeOnce(lease, token)) {
			refused++
		}
		time.Sleep(rand.N(8 * time.Millisecond))
	}
}

// writeOnce writes a row: in a transaction of four round trips, or in one with the trigger alone.
func writeOnce(lease string, token int64) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	insert := fmt.Sprintf("insert into public.%s (token, writer) values ($1, $2) returning position", "fenced_"+strings.ReplaceAll(lease, "-", "_"))
	var position int64
	var err error
	if rand.N(4) == 0 {
		err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "select coordination.lease_assert('default', $1, $2)", lease, token); err != nil {
				return err
			}
			return tx.QueryRow(ctx, insert, token, *identity).Scan(&position)
		})
	} else {
		err = pool.QueryRow(ctx, insert, token, *identity).Scan(&position)
	}
	switch {
	case err == nil:
		committed.Add(1)
		lastCommitted.Store(position)
	case isStale(err):
		stale.Add(1)
	default:
		unknown.Add(1)
		time.Sleep(100 * time.Millisecond) // without a connection the next one would fail at once
	}
	return err
}

func isStale(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == "LS001"
}

// tokens are those of each lease, in the order in which they came.
type tokens struct {
	sync.Mutex
	leases []string
	of     map[string][]int64
}

func writeUnderGivenTokens() {
	all := tokens{of: map[string][]int64{}}
	for range *write {
		go func() {
			for {
				if lease, token, ok := all.pick(); ok {
					_ = writeOnce(lease, token) // counted
				} else {
					time.Sleep(10 * time.Millisecond)
				}
			}
		}()
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var lease string
		var token int64
		if _, err := fmt.Sscan(lines.Text(), &lease, &token); err != nil {
			log.Fatal(err)
		}
		all.add(lease, token)
	}
	os.Exit(0)
}

func (t *tokens) add(lease string, token int64) {
	t.Lock()
	defer t.Unlock()
	if t.of[lease] == nil {
		t.leases = append(t.leases, lease)
	}
	t.of[lease] = append(t.of[lease], token)
}

// pick takes the newest token of a lease now and then, else an older one.
func (t *tokens) pick() (lease string, token int64, ok bool) {
	t.Lock()
	defer t.Unlock()
	if len(t.leases) == 0 {
		return "", 0, false
	}
	lease = t.leases[rand.IntN(len(t.leases))]
	last := len(t.of[lease]) - 1
	if rand.N(10) > 0 {
		last = max(0, last-rand.IntN(remembered))
	}
	return lease, t.of[lease][last], true
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
