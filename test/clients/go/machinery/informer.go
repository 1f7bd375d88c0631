package main

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// informer checks that an informer reports the existing objects, then each change, and that its cache finally equals a list.
func informer(ctx context.Context, client kubernetes.Interface, namespace string) error {
	leases := client.CoordinationV1().Leases(namespace)
	for _, name := range []string{"a", "b"} {
		if _, err := leases.Create(ctx, lease(name, "first"), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	events := make(chan string, 100)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	shared := factory.Coordination().V1().Leases()
	_, err := shared.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(one any) { events <- "added " + describe(one) },
		UpdateFunc: func(_, one any) { events <- "updated " + describe(one) },
		DeleteFunc: func(one any) { events <- "deleted " + describe(one) },
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), shared.Informer().HasSynced) {
		return fmt.Errorf("the cache did not fill")
	}
	if err := expect(events, "added a first", "added b first"); err != nil {
		return err
	}
	if err := change(ctx, client, namespace); err != nil {
		return err
	}
	if err := expect(events, "added c first", "updated a second", "deleted b first"); err != nil {
		return err
	}
	fmt.Println("cached", len(shared.Informer().GetStore().ListKeys()))
	return nil
}

func change(ctx context.Context, client kubernetes.Interface, namespace string) error {
	leases := client.CoordinationV1().Leases(namespace)
	if _, err := leases.Create(ctx, lease("c", "first"), metav1.CreateOptions{}); err != nil {
		return err
	}
	one, err := leases.Get(ctx, "a", metav1.GetOptions{})
	if err != nil {
		return err
	}
	second := "second"
	one.Spec.HolderIdentity = &second
	if _, err := leases.Update(ctx, one, metav1.UpdateOptions{}); err != nil {
		return err
	}
	return leases.Delete(ctx, "b", metav1.DeleteOptions{})
}

func describe(object any) string {
	one, isLease := object.(*coordinationv1.Lease)
	if !isLease {
		return fmt.Sprintf("%T", object)
	}
	return one.Name + " " + *one.Spec.HolderIdentity
}

// expect receives one event for each expected one, in any order, since an informer orders the events of one step freely.
func expect(events <-chan string, wanted ...string) error {
	missing := map[string]bool{}
	for _, one := range wanted {
		missing[one] = true
	}
	for len(missing) > 0 {
		select {
		case event := <-events:
			if !missing[event] {
				return fmt.Errorf("unexpected event: %s", event)
			}
			delete(missing, event)
			fmt.Println(event)
		case <-time.After(20 * time.Second):
			return fmt.Errorf("no event for %v", missing)
		}
	}
	return nil
}
