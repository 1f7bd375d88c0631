// coordinate campaigns for a Lease with client-go's coordinated leader election: it registers a LeaseCandidate and lets the server
// choose. It prints "leading ID", "lost ID" and "leader ID" (the leader it observes), and campaigns again after it has lost.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "path of the kubeconfig")
	namespace := flag.String("namespace", "default", "namespace of lease and candidate")
	name := flag.String("name", "coordinate", "name of the lease")
	identity := flag.String("identity", "", "name of the candidate")
	binary := flag.String("binary-version", "1.36.0", "")
	emulation := flag.String("emulation-version", "1.36.0", "")
	leaseDuration := flag.Duration("lease-duration", 3*time.Second, "")
	renewDeadline := flag.Duration("renew-deadline", 2*time.Second, "")
	retryPeriod := flag.Duration("retry-period", 500*time.Millisecond, "")
	flag.Parse()

	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		fail(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		fail(err)
	}
	ctx := context.Background()
	candidate, _, err := leaderelection.NewCandidate(client, *namespace, *identity, *name, *binary, *emulation, coordinationv1.OldestEmulationVersion)
	if err != nil {
		fail(err)
	}
	go candidate.Run(ctx)

	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: *namespace, Name: *name},
		Client:     client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: *identity},
	}
	for {
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock:          lock,
			LeaseDuration: *leaseDuration,
			RenewDeadline: *renewDeadline,
			RetryPeriod:   *retryPeriod,
			Coordinated:   true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { fmt.Println("leading", *identity) },
				OnStoppedLeading: func() { fmt.Println("lost", *identity) },
				OnNewLeader:      func(leader string) { fmt.Println("leader", leader) },
			},
		})
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
