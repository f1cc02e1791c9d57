package main

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	listers "k8s.io/client-go/listers/core/v1"
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
	OneThread    float64   `json:"one_thread"`
	TwoThreads   float64   `json:"two_threads"`
	Get          Quantiles `json:"get"`
	IndexList    *float64  `json:"index_list"`
	SelectorList float64   `json:"selector_list"`
}

func reads(control *Control, tally *Tally, pods cache.SharedIndexInformer) (Reads, error) {
	if err := pods.AddIndexers(cache.Indexers{"node": nodeOf}); err != nil {
		return Reads{}, err
	}
	indexer := pods.GetIndexer()
	keys := indexer.ListKeys()
	one, nanos, err := get(control, tally, indexer, keys, 1)
	if err != nil {
		return Reads{}, err
	}
	two, _, err := get(control, tally, indexer, keys, 2)
	if err != nil {
		return Reads{}, err
	}
	lister := listers.NewPodLister(indexer)
	selector := labels.SelectorFromSet(labels.Set{"app.kubernetes.io/name": "web"})
	selected, err := secondsEach(selectorLists, func(int) bool {
		found, err := lister.List(selector)
		return err == nil && len(found) > 0
	})
	if err != nil {
		return Reads{}, err
	}
	random := rand.New(rand.NewPCG(1, 1))
	nodes := make([]string, indexLists)
	for at := range nodes {
		nodes[at] = fmt.Sprintf("node-%04d.eu-central.example.com", random.IntN(len(keys))/40)
	}
	ofNode, err := secondsEach(indexLists, func(at int) bool {
		found, err := indexer.ByIndex("node", nodes[at])
		return err == nil && len(found) > 0
	})
	if err != nil {
		return Reads{}, err
	}
	return Reads{
		OneThread:    one,
		TwoThreads:   two,
		Get:          quantiles(nanos),
		IndexList:    &ofNode,
		SelectorList: selected,
	}, nil
}

// get runs readers in goroutines during a part of the paced events. Returns the gets per second,
// and the durations of some gets.
func get(control *Control, tally *Tally, store cache.Store, keys []string, threads int) (float64, []uint64, error) {
	var stop atomic.Bool
	var running sync.WaitGroup
	rates := make([]float64, threads)
	nanos := make([][]uint64, threads)
	for thread := range threads {
		running.Go(func() {
			rates[thread], nanos[thread] = getUntil(&stop, store, keys, uint64(thread))
		})
	}
	err := paced(control, tally)
	stop.Store(true)
	running.Wait()
	rate := 0.0
	for _, one := range rates {
		rate += one
	}
	return rate, nanos[0], err
}

func getUntil(stop *atomic.Bool, store cache.Store, keys []string, seed uint64) (float64, []uint64) {
	random := rand.New(rand.NewPCG(seed, seed))
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
func secondsEach(count int, call func(int) bool) (float64, error) {
	began := time.Now()
	for at := range count {
		if !call(at) {
			return 0, fmt.Errorf("a list found nothing")
		}
	}
	return time.Since(began).Seconds() / float64(count), nil
}
