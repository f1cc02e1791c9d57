package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

const (
	gets          = 400_000
	selectorLists = 20
	labelLists    = 400
	indexLists    = 4000
)

// Reads are the results of the reads of the cache.
type Reads struct {
	Get          *float64 `json:"get"`
	GetField     *float64 `json:"get_field"`
	Borrow       *float64 `json:"borrow"`
	GetsOfTwo    *float64 `json:"gets_of_two"`
	IndexList    *float64 `json:"index_list"`
	IndexVisit   *float64 `json:"index_visit"`
	SelectorList *float64 `json:"selector_list"`
	LabelList    *float64 `json:"label_list"`
}

func (r *Run) reads(informer cache.SharedIndexInformer) (*Reads, error) {
	lookups, err := ask[Lookups](r.control, "lookups")
	if err != nil {
		return nil, err
	}
	indexer := informer.GetIndexer()
	random := rand.New(rand.NewPCG(2, 2))
	keys := indexer.ListKeys()
	random.Shuffle(len(keys), func(a, b int) { keys[a], keys[b] = keys[b], keys[a] })
	// Names with texts of their own, unlike the keys of the store, and allocated in the order in which
	// they are read.
	var names []name
	for _, key := range keys {
		namespace, object, _ := strings.Cut(strings.Clone(key), "/")
		names = append(names, name{namespace, object})
	}
	reads := &Reads{}
	if len(lookups.Nodes) > 0 {
		if err := informer.AddIndexers(cache.Indexers{"node": nodeOf}); err != nil {
			return nil, err
		}
	}
	if err := reads.gets(indexer, names); err != nil {
		return nil, err
	}
	if label := lookups.Label; len(label) == 2 {
		selector := labels.SelectorFromSet(labels.Set{label[0]: label[1]})
		lister := cache.NewGenericLister(indexer, schema.GroupResource{})
		reads.SelectorList, err = secondsEach(selectorLists, func() (int, error) {
			found, err := lister.List(selector)
			return len(found), err
		})
		if err != nil {
			return nil, err
		}
		if err := informer.AddIndexers(cache.Indexers{"label": labelOf(label[0])}); err != nil {
			return nil, err
		}
		reads.LabelList, err = secondsEach(labelLists, func() (int, error) {
			found, err := indexer.ByIndex("label", label[1])
			return len(found), err
		})
		if err != nil {
			return nil, err
		}
	}
	if nodes := lookups.Nodes; len(nodes) > 0 {
		reads.IndexList, err = secondsEach(indexLists, func() (int, error) {
			found, err := indexer.ByIndex("node", nodes[random.IntN(len(nodes))])
			return len(found), err
		})
		reads.IndexVisit = reads.IndexList
	}
	return reads, err
}

// name of an object.
type name struct{ namespace, name string }

// gets measures reads by namespace and name, in this order, and by two threads at once, of which
// the second reads in the opposite order.
func (r *Reads) gets(indexer cache.Indexer, names []name) (err error) {
	get := getter(indexer, names)
	if r.Get, err = secondsEach(gets, func() (int, error) {
		_, err := get()
		return 1, err
	}); err != nil {
		return err
	}
	if r.GetField, err = secondsEach(gets, func() (int, error) {
		object, err := get()
		if err != nil {
			return 0, err
		}
		return len(object.GetResourceVersion()), nil
	}); err != nil {
		return err
	}
	r.Borrow = r.GetField // a get in Go counts no reference
	opposite := slices.Clone(names)
	slices.Reverse(opposite)
	other := getter(indexer, opposite)
	done := make(chan error)
	began := time.Now()
	for _, get := range []func() (metav1.Object, error){get, other} {
		go func() {
			var err error
			for range gets {
				if _, failed := get(); failed != nil {
					err = failed
				}
			}
			done <- err
		}()
	}
	err = errors.Join(<-done, <-done)
	r.GetsOfTwo = new(time.Since(began).Seconds() / (2 * gets))
	return err
}

// getter returns a function that gets the object of the next name: a Pod from a generated lister,
// others from a generic one.
func getter(indexer cache.Indexer, names []name) func() (metav1.Object, error) {
	pods := listers.NewPodLister(indexer)
	others := cache.NewGenericLister(indexer, schema.GroupResource{})
	arePods := false
	if objects := indexer.List(); len(objects) > 0 {
		_, arePods = objects[0].(*corev1.Pod)
	}
	at := 0
	return func() (metav1.Object, error) {
		next := names[at]
		if at++; at == len(names) {
			at = 0
		}
		if arePods {
			return pods.Pods(next.namespace).Get(next.name)
		}
		object, err := others.ByNamespace(next.namespace).Get(next.name)
		if err != nil {
			return nil, err
		}
		return apimeta.Accessor(object)
	}
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

// labelOf returns an index of the objects that have the label of this name, by its value.
func labelOf(name string) cache.IndexFunc {
	return func(object any) ([]string, error) {
		accessor, err := apimeta.Accessor(object)
		if err != nil {
			return nil, err
		}
		value, has := accessor.GetLabels()[name]
		if !has {
			return nil, nil
		}
		return []string{value}, nil
	}
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
