package main

import (
	"context"
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/pager"
)

// pages lists in chunks, as client-go's pager does, and expects every lease once although one is deleted in between.
func pages(ctx context.Context, client kubernetes.Interface, namespace string) error {
	leases := client.CoordinationV1().Leases(namespace)
	for i := range 23 {
		if _, err := leases.Create(ctx, lease(fmt.Sprintf("page-%02d", i), "me"), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	requests := 0
	list := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		requests++
		if requests == 2 {
			if err := leases.Delete(ctx, "page-22", metav1.DeleteOptions{}); err != nil {
				return nil, err
			}
		}
		return leases.List(ctx, options)
	})
	list.PageSize = 5
	list.PageBufferSize = 0
	seen := map[string]int{}
	err := list.EachListItem(ctx, metav1.ListOptions{}, func(one runtime.Object) error {
		seen[one.(*coordinationv1.Lease).Name]++
		return nil
	})
	if err != nil {
		return err
	}
	for name, times := range seen {
		if times != 1 {
			return fmt.Errorf("%s was listed %d times", name, times)
		}
	}
	fmt.Println("requests", requests, "leases", len(seen))
	return nil
}
