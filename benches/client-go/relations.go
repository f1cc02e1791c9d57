package main

import (
	"fmt"
	"sort"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

const (
	services = 10_000
	pods     = 100_000
	// Pods that mention the same Secret.
	sharers = 10
	rounds  = 9
)

// relations measures the searches of ../src/relations.rs with client-go's listers and indexers.
func relations() {
	fmt.Printf("\nclient-go, median of %d rounds\n\n", rounds)
	selecting()
	mention()
	update()
}

func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "default", Name: name, ResourceVersion: "1"}
}

// selecting finds the Services that select a Pod. client-go has no index of selectors: every Service of the
// namespace is tested, as the EndpointSlice controller does.
func selecting() {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for number := range services {
		service := &corev1.Service{ObjectMeta: meta(fmt.Sprintf("service-%d", number))}
		service.Spec.Selector = map[string]string{"app": fmt.Sprintf("app-%d", number), "tier": "web"}
		must(indexer.Add(service))
	}
	lister := listers.NewServiceLister(indexer)
	fmt.Printf("services.selecting(pod), %d Services\n", services)
	number := 0
	report("client-go, scan of the namespace", 50, func() {
		number = (number + 7919) % services
		set := labels.Set{"app": fmt.Sprintf("app-%d", number), "tier": "web"}
		all, err := lister.Services("default").List(labels.Everything())
		must(err)
		found := 0
		for _, service := range all {
			if service.Spec.Selector != nil && labels.ValidatedSetSelector(service.Spec.Selector).Matches(set) {
				found++
			}
		}
		if found != 1 {
			panic(found)
		}
	})
}

func pod(number int) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: meta(fmt.Sprintf("pod-%d", number))}
	pod.Spec.NodeName = fmt.Sprintf("node-%d", number%500)
	pod.Spec.ServiceAccountName = "default"
	secret := &corev1.SecretVolumeSource{SecretName: fmt.Sprintf("secret-%d", number%(pods/sharers))}
	config := &corev1.ConfigMapVolumeSource{}
	config.Name = fmt.Sprintf("config-%d", number%100)
	claim := &corev1.PersistentVolumeClaimVolumeSource{ClaimName: fmt.Sprintf("claim-%d", number)}
	pod.Spec.Volumes = []corev1.Volume{
		{Name: "a", VolumeSource: corev1.VolumeSource{Secret: secret}},
		{Name: "b", VolumeSource: corev1.VolumeSource{ConfigMap: config}},
		{Name: "c", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: claim}},
	}
	return pod
}

func named(name func(*corev1.Volume) string) cache.IndexFunc {
	return func(object any) ([]string, error) {
		var keys []string
		pod := object.(*corev1.Pod)
		for i := range pod.Spec.Volumes {
			if name := name(&pod.Spec.Volumes[i]); name != "" {
				keys = append(keys, pod.Namespace+"/"+name)
			}
		}
		return keys, nil
	}
}

var secretOf = named(func(volume *corev1.Volume) string {
	if volume.Secret == nil {
		return ""
	}
	return volume.Secret.SecretName
})

// mention finds the Pods that mention a Secret.
func mention() {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"secret": secretOf})
	for number := range pods {
		must(indexer.Add(pod(number)))
	}
	fmt.Printf("\npods.by_secret(key), %d Pods, %d of which mention it\n", pods, sharers)
	number := 0
	report("client-go, indexer", 1000, func() {
		number = (number + 7919) % (pods / sharers)
		found, err := indexer.ByIndex("secret", fmt.Sprintf("default/secret-%d", number))
		must(err)
		if len(found) != sharers {
			panic(len(found))
		}
	})
}

// update updates a Pod in the store, with 0, 1 and 5 indexers.
func update() {
	const count = 20_000
	fmt.Printf("\nupdate of a Pod in the store, %d Pods\n", count)
	all := cache.Indexers{
		"secret": secretOf,
		"config": named(func(volume *corev1.Volume) string {
			if volume.ConfigMap == nil {
				return ""
			}
			return volume.ConfigMap.Name
		}),
		"claim": named(func(volume *corev1.Volume) string {
			if volume.PersistentVolumeClaim == nil {
				return ""
			}
			return volume.PersistentVolumeClaim.ClaimName
		}),
		"node": func(object any) ([]string, error) {
			return []string{object.(*corev1.Pod).Spec.NodeName}, nil
		},
		"account": func(object any) ([]string, error) {
			pod := object.(*corev1.Pod)
			return []string{pod.Namespace + "/" + pod.Spec.ServiceAccountName}, nil
		},
	}
	for _, relations := range []int{0, 1, 5} {
		indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
		for _, name := range []string{"secret", "config", "claim", "node", "account"}[:relations] {
			indexers[name] = all[name]
		}
		indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, indexers)
		var updates []*corev1.Pod
		for number := range count {
			must(indexer.Add(pod(number)))
			updates = append(updates, pod(number))
		}
		next := 0
		report(fmt.Sprintf("client-go, %d indexers", relations), count, func() {
			must(indexer.Update(updates[next%count]))
			next++
		})
	}
}

// report calls f this many times, in several rounds, and prints the median time of a call.
func report(name string, calls int, f func()) {
	var times []time.Duration
	for range rounds {
		start := time.Now()
		for range calls {
			f()
		}
		times = append(times, time.Since(start))
	}
	sort.Slice(times, func(a, b int) bool { return times[a] < times[b] })
	micros := times[rounds/2].Seconds() * 1e6 / float64(calls)
	fmt.Printf("  %-36s %10.2f µs\n", name, micros)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
