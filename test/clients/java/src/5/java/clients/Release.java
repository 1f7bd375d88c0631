package clients;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.DefaultKubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.function.UnaryOperator;

/** What fabric8 5 calls differently from later ones; it has no server-side apply. */
final class Release {
  static final boolean APPLIES = false;

  static KubernetesClient open() {
    return new DefaultKubernetesClient();
  }

  static Lease create(NonNamespaceOperation<Lease, ?, Resource<Lease>> leases, Lease lease) {
    return leases.create(lease);
  }

  /** Fails with 409 when the lease is not as it was read. */
  static Lease update(NonNamespaceOperation<Lease, ?, Resource<Lease>> leases, Lease read) {
    return leases.withName(read.getMetadata().getName()).lockResourceVersion(read.getMetadata().getResourceVersion()).replace(read);
  }

  /** Its own edit sends a patch, which cannot contain times. */
  static Lease edit(NonNamespaceOperation<Lease, ?, Resource<Lease>> leases, String name, UnaryOperator<Lease> edit) {
    return leases.withName(name).replace(edit.apply(leases.withName(name).get()));
  }

  static Lease apply(NonNamespaceOperation<Lease, ?, Resource<Lease>> leases, Lease lease, String manager, boolean force) {
    throw new UnsupportedOperationException();
  }
}
