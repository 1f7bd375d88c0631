package election

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const (
	leaseDuration = 3 * time.Second
	renewDeadline = 700 * time.Millisecond // with ReleaseOnCancel, twice this has to be less than leaseDuration
	retryPeriod   = 50 * time.Millisecond
)

func TestElector(t *testing.T) {
	testCases(t, startElector)
}

// candidate takes part in an election for the lease "worker" until ctx ends.
type candidate struct {
	leads, stopped chan struct{}
}

func testCases(t *testing.T, start func(ctx context.Context, identity string) candidate) {
	// begin starts a candidate, and stops it at the end of the test.
	begin := func(t *testing.T, identity string) (candidate, context.CancelFunc) {
		ctx, stop := context.WithCancel(context.Background())
		c := start(ctx, identity)
		t.Cleanup(func() {
			order(t, "reset", "{}") // so that it can let go
			stop()
			await(t, c.stopped)
			order(t, "reset", "{}")
		})
		return c, stop
	}
	t.Run("lost while working", func(t *testing.T) {
		a, _ := begin(t, "a")
		await(t, a.leads)
		order(t, "leases/take-over", `{"name":"worker","holder":"somebody-else"}`)
		await(t, a.stopped)
	})
	t.Run("slow renewal", func(t *testing.T) {
		a, _ := begin(t, "a")
		await(t, a.leads)
		began := time.Now()
		order(t, "faults", `{"verb":"update","resource":"leases","name":"worker","hang":true,"count":100}`)
		await(t, a.stopped)
		if led := time.Since(began); led > leaseDuration {
			t.Errorf("led for %v without a renewal: another candidate may lead by then", led)
		}
	})
	t.Run("two candidates", func(t *testing.T) {
		a, stop := begin(t, "a")
		await(t, a.leads)
		b, _ := begin(t, "b")
		stop()
		await(t, a.stopped)
		await(t, b.leads)
	})
	t.Run("restart", func(t *testing.T) {
		order(t, "leases/take-over", `{"name":"worker","holder":"a"}`)
		a, _ := begin(t, "a")
		await(t, a.leads)
	})
	t.Run("refusal", func(t *testing.T) {
		a, _ := begin(t, "a")
		await(t, a.leads)
		for _, fault := range []string{`"status":409`, `"status":503,"retryAfter":0`, `"cut":"after"`} {
			order(t, "faults", `{"verb":"update","resource":"leases","name":"worker",`+fault+`}`)
			for !hasRenewed(t) {
				select {
				case <-a.stopped:
					t.Fatal("it stopped leading, although every refusal could be tried again")
				case <-time.After(10 * time.Millisecond):
				}
			}
		}
	})
}

// hasRenewed tells whether a renewal has succeeded since the last fault.
func hasRenewed(t *testing.T) bool {
	t.Helper()
	faults := string(ask(t, http.MethodGet, "faults", ""))
	return faults == "[]\n" && strings.HasSuffix(string(ask(t, http.MethodGet, "requests?verb=update", "")), "\"status\":200}]\n")
}

// startElector starts an elector as in production, only faster.
func startElector(ctx context.Context, identity string) candidate {
	c := candidate{leads: make(chan struct{}), stopped: make(chan struct{})}
	leader, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: "default", Name: "worker"},
			Client:     kubernetes.NewForConfigOrDie(rest.AddUserAgent(config, identity)).CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
		},
		LeaseDuration:   leaseDuration,
		RenewDeadline:   renewDeadline,
		RetryPeriod:     retryPeriod,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(c.leads) },
			OnStoppedLeading: func() { close(c.stopped) },
		},
	})
	must(err)
	go leader.Run(ctx)
	return c
}
