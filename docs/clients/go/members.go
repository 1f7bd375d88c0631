package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	typed "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
)

const (
	group    = "workers"
	duration = 10 // seconds
	beat     = 3 * time.Second
)

func members(ctx context.Context, config *rest.Config, name string) error {
	client, err := kubernetes.NewForConfig(config) // without a Timeout: it would cut off watches
	if err != nil {
		return err
	}
	own := client.CoordinationV1().Leases(namespace)
	go keepAlive(ctx, own, name)

	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = "group=" + group }))
	leases := factory.Coordination().V1().Leases().Lister().Leases(namespace)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())

	seen := map[string]sighting{}
	for shown := ""; ctx.Err() == nil; sleep(ctx, time.Second) {
		all, _ := leases.List(labels.Everything()) // from memory
		if now := strings.Join(alive(all, seen), " "); now != shown {
			shown = now
			fmt.Println("members", now)
		}
	}
	return own.Delete(context.WithoutCancel(ctx), group+"-"+name, metav1.DeleteOptions{})
}

type sighting struct {
	version string
	at      time.Time
}

// alive names the holders of leases that have changed lately.
func alive(leases []*coordinationv1.Lease, seen map[string]sighting) []string {
	var names []string
	for _, lease := range leases {
		last := seen[lease.Name]
		if last.version != lease.ResourceVersion {
			last = sighting{lease.ResourceVersion, time.Now()}
			seen[lease.Name] = last
		}
		if time.Since(last.at) < time.Duration(*lease.Spec.LeaseDurationSeconds)*time.Second {
			names = append(names, *lease.Spec.HolderIdentity)
		}
	}
	slices.Sort(names)
	return names
}

// keepAlive patches without a resourceVersion, so that it does not matter whether the answer to the last one got lost.
func keepAlive(ctx context.Context, leases typed.LeaseInterface, name string) {
	for ; ctx.Err() == nil; sleep(ctx, beat) {
		once, cancel := context.WithTimeout(ctx, beat)
		now := metav1.NowMicro()
		patch := fmt.Sprintf(`{"spec":{"renewTime":%q}}`, now.UTC().Format("2006-01-02T15:04:05.000000Z"))
		_, err := leases.Patch(once, group+"-"+name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		if errors.IsNotFound(err) {
			seconds := int32(duration)
			_, err = leases.Create(once, &coordinationv1.Lease{
				ObjectMeta: metav1.ObjectMeta{Name: group + "-" + name, Labels: map[string]string{"group": group}},
				Spec:       coordinationv1.LeaseSpec{HolderIdentity: &name, LeaseDurationSeconds: &seconds, RenewTime: &now},
			}, metav1.CreateOptions{})
		}
		if err != nil && ctx.Err() == nil {
			fmt.Println("trying again:", err)
		}
		cancel()
	}
}

func sleep(ctx context.Context, length time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(length):
	}
}
