// manager is a controller-runtime manager with leader election, a cached client and one reconciler of Leases. It prints
// "elected ID" once it leads and "reconciled NAME HOLDER" per reconciliation, and runs until it is stopped by a signal.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "example.org/manager"

type reconciler struct{ client client.Client }

// Reconcile adds a finalizer to each lease and removes it when the lease is being deleted.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	lease := &coordinationv1.Lease{}
	if err := r.client.Get(ctx, request.NamespacedName, lease); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	original := lease.DeepCopy()
	if lease.DeletionTimestamp.IsZero() {
		controllerutil.AddFinalizer(lease, finalizer)
	} else {
		controllerutil.RemoveFinalizer(lease, finalizer)
	}
	if err := r.client.Patch(ctx, lease, client.MergeFromWithOptions(original, client.MergeFromWithOptimisticLock{})); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	holder := ""
	if lease.Spec.HolderIdentity != nil {
		holder = *lease.Spec.HolderIdentity
	}
	fmt.Println("reconciled", lease.Name, holder, "deleting:", !lease.DeletionTimestamp.IsZero())
	return ctrl.Result{}, nil
}

func main() {
	kubeconfig := flag.String("kubeconfig-file", "", "path of the kubeconfig")
	identity := flag.String("identity", "", "what this manager calls itself in its output")
	namespace := flag.String("namespace", "default", "the namespace whose leases it reconciles")
	flag.Parse()
	ctrl.SetLogger(logr.Discard())
	if err := run(*kubeconfig, *identity, *namespace); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(kubeconfig, identity, namespace string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	leaseDuration, renewDeadline, retryPeriod := 3*time.Second, 2*time.Second, 500*time.Millisecond
	manager, err := ctrl.NewManager(config, ctrl.Options{
		LeaderElection:                true,
		LeaderElectionID:              "manager",
		LeaderElectionNamespace:       "kube-system",
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &leaseDuration,
		RenewDeadline:                 &renewDeadline,
		RetryPeriod:                   &retryPeriod,
		Metrics:                       server.Options{BindAddress: "0"},
		Cache:                         cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
	})
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(manager).For(&coordinationv1.Lease{}).Complete(&reconciler{client: manager.GetClient()})
	if err != nil {
		return err
	}
	go func() {
		<-manager.Elected()
		fmt.Println("elected", identity)
	}()
	return manager.Start(ctrl.SetupSignalHandler())
}
