package main

import (
	"context"
	"fmt"
	"reflect"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

func lease(name, holder string) *coordinationv1.Lease {
	seconds, transitions := int32(15), int32(3)
	renewed := metav1.NewMicroTime(time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC))
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "machinery"}, Annotations: map[string]string{"note": "ü\n\x00"}},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &holder, LeaseDurationSeconds: &seconds, LeaseTransitions: &transitions, RenewTime: &renewed,
		},
	}
}

// roundtrip writes every field with each verb, reads the same values back, and expects typed errors.
func roundtrip(ctx context.Context, client kubernetes.Interface, namespace string) error {
	leases := client.CoordinationV1().Leases(namespace)
	want := lease("all", "me")
	created, err := leases.Create(ctx, want, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	got, err := leases.Get(ctx, "all", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(created, got) || !reflect.DeepEqual(got.Spec.HolderIdentity, want.Spec.HolderIdentity) {
		return fmt.Errorf("created %v, got %v", created, got)
	}
	if !got.Spec.RenewTime.Equal(want.Spec.RenewTime) || got.Annotations["note"] != want.Annotations["note"] {
		return fmt.Errorf("sent %v, got %v", want, got)
	}
	stale := got.DeepCopy()
	other := "other"
	got.Spec.HolderIdentity = &other
	if _, err := leases.Update(ctx, got, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if _, err := leases.Update(ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("a stale update: %v", err)
	}
	if _, err := leases.Create(ctx, want, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("a second create: %v", err)
	}
	negative := int32(-1)
	got.Spec.LeaseDurationSeconds = &negative
	got.ResourceVersion = ""
	if _, err := leases.Update(ctx, got, metav1.UpdateOptions{}); !apierrors.IsInvalid(err) {
		return fmt.Errorf("an invalid update: %v", err)
	}
	merge := []byte(`{"spec":{"holderIdentity":"merged"}}`)
	for _, patchType := range []types.PatchType{types.MergePatchType, types.StrategicMergePatchType} {
		patched, err := leases.Patch(ctx, "all", patchType, merge, metav1.PatchOptions{})
		if err != nil {
			return err
		}
		fmt.Println("patched", *patched.Spec.HolderIdentity)
	}
	list, err := leases.List(ctx, metav1.ListOptions{LabelSelector: "app=machinery"})
	if err != nil {
		return err
	}
	fmt.Println("listed", len(list.Items), *list.Items[0].Spec.HolderIdentity)
	if err := leases.Delete(ctx, "all", *metav1.NewPreconditionDeleteOptions(string(created.UID))); err != nil {
		return err
	}
	if _, err := leases.Get(ctx, "all", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("after the deletion: %v", err)
	}
	return nil
}
