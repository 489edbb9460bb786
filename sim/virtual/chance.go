package virtual

// Stream is a small generator of its own (splitmix64), one for each (seed, entity, purpose), so that
// removing one hold or one worker doesn't reshuffle the rest. The standard library's generators may
// change between releases; a trace may not.
type Stream struct{ state uint64 }

// NewStream gives the stream of an entity for a purpose.
func NewStream(seed uint64, entity, purpose string) *Stream {
	h := seed ^ 0x9e3779b97f4a7c15
	for _, text := range [2]string{entity, purpose} {
		for i := 0; i < len(text); i++ {
			h = mix(h ^ uint64(text[i]))
		}
		h = mix(h + 0x100)
	}
	return &Stream{h}
}

// Next gives 64 bits.
func (s *Stream) Next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	return mix(s.state)
}

// Below gives a number from 0 to n-1; n must be positive.
func (s *Stream) Below(n int64) int64 { return int64(s.Next() % uint64(n)) }

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
