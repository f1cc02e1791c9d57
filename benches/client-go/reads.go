package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

const (
	// Only one of this many gets is timed, because reading the clock costs as much as a get.
	timed         = 64
	selectorLists = 20
	indexLists    = 2000
)

// Reads are the results of the readers of the cache.
type Reads struct {
	Gets         float64   `json:"gets"`
	Get          Quantiles `json:"get"`
	IndexList    *float64  `json:"index_list"`
	SelectorList *float64  `json:"selector_list"`
}

func (r *Run) reads(informer cache.SharedIndexInformer) (*Reads, error) {
	label, nodes, err := r.control.lookups()
	if err != nil {
		return nil, err
	}
	indexer := informer.GetIndexer()
	keys := indexer.ListKeys()
	reads := &Reads{}
	if len(nodes) > 0 {
		if err := informer.AddIndexers(cache.Indexers{"node": nodeOf}); err != nil {
			return nil, err
		}
	}
	if reads.Gets, reads.Get, err = r.get(indexer, keys); err != nil {
		return nil, err
	}
	if name, value, hasLabel := strings.Cut(label, "="); hasLabel {
		selector := labels.SelectorFromSet(labels.Set{name: value})
		lister := cache.NewGenericLister(indexer, schema.GroupResource{})
		reads.SelectorList, err = secondsEach(selectorLists, func() (int, error) {
			found, err := lister.List(selector)
			return len(found), err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(nodes) > 0 {
		random := rand.New(rand.NewPCG(1, 1))
		reads.IndexList, err = secondsEach(indexLists, func() (int, error) {
			found, err := indexer.ByIndex("node", nodes[random.IntN(len(nodes))])
			return len(found), err
		})
	}
	return reads, err
}

// get runs a reader during a part of the paced events. Returns the gets per second, and the
// durations of some gets.
func (r *Run) get(store cache.Store, keys []string) (float64, Quantiles, error) {
	var stop atomic.Bool
	var rate float64
	var nanos []uint64
	done := make(chan struct{})
	go func() {
		rate, nanos = getUntil(&stop, store, keys)
		close(done)
	}()
	err := r.paced()
	stop.Store(true)
	<-done
	return rate, quantiles(nanos), err
}

func getUntil(stop *atomic.Bool, store cache.Store, keys []string) (float64, []uint64) {
	random := rand.New(rand.NewPCG(0, 0))
	gets := 0
	nanos := make([]uint64, 0, 1<<18)
	one := func() {
		if _, exists, err := store.GetByKey(keys[random.IntN(len(keys))]); err != nil || !exists {
			fail(fmt.Errorf("the cache has lost an object"))
		}
	}
	began := time.Now()
	for !stop.Load() {
		start := time.Now()
		one()
		nanos = append(nanos, uint64(time.Since(start)))
		for range timed - 1 {
			one()
		}
		gets += timed
	}
	return float64(gets) / time.Since(began).Seconds(), nanos
}

// secondsEach returns the mean duration of count calls. Each call has to find an object.
func secondsEach(count int, call func() (int, error)) (*float64, error) {
	began := time.Now()
	for range count {
		found, err := call()
		if err != nil {
			return nil, err
		}
		if found == 0 {
			return nil, fmt.Errorf("a list found nothing")
		}
	}
	return new(time.Since(began).Seconds() / float64(count)), nil
}

func nodeOf(object any) ([]string, error) {
	switch object := object.(type) {
	case *corev1.Pod:
		return []string{object.Spec.NodeName}, nil
	case *unstructured.Unstructured:
		node, _, err := unstructured.NestedString(object.Object, "spec", "nodeName")
		return []string{node}, err
	}
	return nil, nil
}
