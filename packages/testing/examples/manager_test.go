package election

import (
	"context"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func TestManager(t *testing.T) {
	testCases(t, startManager)
}

// startManager starts a manager as in production, only faster. Its own lock would call it differently after each restart.
func startManager(ctx context.Context, identity string) candidate {
	c := candidate{leads: make(chan struct{}), stopped: make(chan struct{})}
	lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, "default", "worker",
		resourcelock.ResourceLockConfig{Identity: identity}, rest.CopyConfig(config), renewDeadline)
	must(err)
	duration, deadline, period := leaseDuration, renewDeadline, retryPeriod
	m, err := ctrl.NewManager(config, ctrl.Options{
		LeaderElection:                      true,
		LeaderElectionID:                    "worker",
		LeaderElectionResourceLockInterface: lock,
		LeaderElectionReleaseOnCancel:       true,
		LeaseDuration:                       &duration,
		RenewDeadline:                       &deadline,
		RetryPeriod:                         &period,
		Metrics:                             server.Options{BindAddress: "0"},
		Logger:                              logr.Discard(),
	})
	must(err)
	must(m.Add(manager.RunnableFunc(func(ctx context.Context) error { // where a controller reconciles
		close(c.leads)
		<-ctx.Done()
		return nil
	})))
	go func() {
		defer close(c.stopped)
		_ = m.Start(ctx) // returns once the work has stopped
	}()
	return c
}
