// etcd-lock does with etcd's client library what `etcdctl lock` does, as often as it can, and prints the rate and the latency as JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"slices"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
)

func main() {
	endpoint := flag.String("endpoint", "", "etcd's URL")
	verb := flag.String("verb", "acquire", "acquire, renew or refuse")
	clients := flag.Int("clients", 1, "clients, each with a connection")
	seconds := flag.Int("seconds", 1, "duration")
	ttl := flag.Int("ttl", 15, "seconds after which a lock expires")
	flag.Parse()

	connections := make([]*clientv3.Client, *clients+1)
	for i := range connections {
		connection, err := clientv3.New(clientv3.Config{Endpoints: []string{*endpoint}, Logger: zap.NewNop()})
		must(err)
		connections[i] = connection
	}
	holder, err := concurrency.NewSession(connections[*clients], concurrency.WithTTL(*ttl))
	must(err)
	must(concurrency.NewMutex(holder, "held").Lock(context.Background()))

	type result struct {
		took []time.Duration
		err  error
	}
	results := make(chan result)
	started := time.Now()
	until := started.Add(time.Duration(*seconds) * time.Second)
	for i := range *clients {
		go func() {
			took, err := work(connections[i], *verb, fmt.Sprintf("own-%d", i), *ttl, until)
			results <- result{took, err}
		}()
	}
	var took []time.Duration
	for range *clients {
		one := <-results
		must(one.err)
		took = append(took, one.took...)
	}
	elapsed := time.Since(started)
	must(holder.Close())
	slices.Sort(took)
	must(json.NewEncoder(os.Stdout).Encode(map[string]float64{
		"rate": float64(len(took)) / elapsed.Seconds(),
		"p50":  quantile(took, 0.5),
		"p99":  quantile(took, 0.99),
	}))
}

// work returns how long each acquisition, renewal or refused attempt took.
func work(client *clientv3.Client, verb, lock string, ttl int, until time.Time) ([]time.Duration, error) {
	ctx := context.Background()
	var took []time.Duration
	if verb == "acquire" {
		for time.Now().Before(until) {
			sent := time.Now()
			session, err := concurrency.NewSession(client, concurrency.WithTTL(ttl))
			if err != nil {
				return nil, err
			}
			mutex := concurrency.NewMutex(session, lock)
			if err := mutex.Lock(ctx); err != nil {
				return nil, err
			}
			took = append(took, time.Since(sent))
			if err := errors.Join(mutex.Unlock(ctx), session.Close()); err != nil {
				return nil, err
			}
		}
		return took, nil
	}
	session, err := concurrency.NewSession(client, concurrency.WithTTL(ttl))
	if err != nil {
		return nil, err
	}
	defer session.Close()
	mutex := concurrency.NewMutex(session, "held")
	for time.Now().Before(until) {
		sent := time.Now()
		if verb == "renew" {
			if _, err := client.KeepAliveOnce(ctx, session.Lease()); err != nil {
				return nil, err
			}
		} else if err := mutex.TryLock(ctx); !errors.Is(err, concurrency.ErrLocked) {
			return nil, fmt.Errorf("a lock that is held was given: %w", err)
		}
		took = append(took, time.Since(sent))
	}
	return took, nil
}

// quantile is in milliseconds.
func quantile(sorted []time.Duration, share float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := min(len(sorted)-1, int(share*float64(len(sorted))))
	return math.Round(sorted[at].Seconds()*1e5) / 100
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
