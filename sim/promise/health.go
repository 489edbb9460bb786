package promise

import (
	"slices"

	"github.com/seathold/seathold/reference"
)

// health is when the world was healthy, and how much was waiting.
type health struct {
	*world
	// sick are the times of trouble of any kind, apart from each other and in order, and calm those
	// between them that are long enough for a stretch.
	sick, calm []spell
	// chosen are times of trouble of some kind, by the name of the choice, and quiet those between
	// them, by channel.
	chosen map[string][]spell
	quiet  map[reference.Channel][]spell
	// begins and ends are those of trouble that names holds, each in order.
	begins, ends []instant
	// particular says that some trouble doesn't concern everybody.
	particular bool
	work       work
}

func (t *trial) healthOf() *health {
	if t.health != nil {
		return t.health
	}
	x := &health{world: t.world, chosen: map[string][]spell{}, quiet: map[reference.Channel][]spell{}, work: newWork(t.world)}
	x.sick = x.choose("all", func(*trouble) bool { return true })
	x.calm = x.between(x.sick)
	for i := range x.troubles {
		s := &x.troubles[i]
		x.particular = x.particular || s.hold != nil || s.channel != ""
		if s.hold != nil {
			x.begins, x.ends = append(x.begins, s.from), append(x.ends, s.to)
		}
	}
	slices.Sort(x.ends)
	t.health = x
	return x
}

// choose joins the troubles of some kind that meet. Troubles come in the order in which they began.
func (x *health) choose(name string, chosen func(*trouble) bool) []spell {
	out, found := x.chosen[name]
	if !found {
		for i := range x.troubles {
			if s := &x.troubles[i]; chosen(s) {
				out = join(out, s.spell)
			}
		}
		x.chosen[name] = out
	}
	return out
}

// join appends a spell that begins no earlier than the last, or makes the last longer by it.
func join(spells []spell, s spell) []spell {
	if last := len(spells) - 1; last >= 0 && s.from <= spells[last].to {
		spells[last].to = max(spells[last].to, s.to)
		return spells
	}
	return append(spells, s)
}

// between gives the times between some spells, if they are long enough for a stretch.
func (x *health) between(sick []spell) []spell {
	var out []spell
	from := always
	for _, s := range sick {
		if from == always || s.from-from >= x.bound() {
			out = append(out, spell{from, s.from})
		}
		from = s.to
	}
	return append(out, spell{from, never})
}

// without gives the sick times of a channel when what names holds or other channels doesn't count;
// those of no channel are what concerns expiring.
func (x *health) without(c reference.Channel) []spell {
	return x.choose("for "+string(c), func(t *trouble) bool { return t.hold == nil && (t.channel == "" || t.channel == c) })
}

// calmFor is calm without what names holds or other channels.
func (x *health) calmFor(c reference.Channel) []spell {
	if x.quiet[c] == nil {
		x.quiet[c] = x.between(x.without(c))
	}
	return x.quiet[c]
}

// meets says whether one of some ordered spells meets the time between from and to.
func meets(spells []spell, from, to instant) bool {
	i := firstFrom(spells, from)
	return i < len(spells) && spells[i].from <= to
}

// firstFrom gives the index of the first of some ordered spells that doesn't end before from.
func firstFrom(spells []spell, from instant) int {
	i, _ := slices.BinarySearchFunc(spells, from, func(s spell, from instant) int {
		if s.to < from {
			return -1
		}
		return 1
	})
	return i
}

// troubled says whether there was any trouble between from and to.
func (x *health) troubled(from, to instant) bool { return meets(x.sick, from, to) }

// heal is the end of the last trouble that somebody lived through who has waited since from and is
// to be served within length of it; never, if it doesn't end.
func (x *health) heal(from, length instant) instant {
	for _, s := range x.sick[firstFrom(x.sick, from):] {
		if s.from > from+length {
			break
		}
		if s.to == never {
			return never
		}
		from = max(from, s.to)
	}
	return from
}

// overloaded says whether, when expiring what was over at from had to be asked for at the latest, more
// was waiting than all slots can serve in the rest of the time that P5 allows, less what the queue takes.
// Apart counts the trouble of others until then as work.
func (x *health) overloaded(from, until instant, apart bool) bool {
	cost, waiting := x.work.waiting(from+x.sweep, 1)
	if apart {
		cost += x.foreign(from+x.sweep, until, "", waiting)
	}
	return cost > x.slots*(freeSlack-x.queue)
}

// troubledApart says whether, without what names other holds, there was trouble for expiring v
// between from and until, or so much of others' that the slots couldn't serve it.
func (x *health) troubledApart(v *window, from, until instant) bool {
	return meets(x.without(""), from, until) || meets(x.named(v.hold, nil), from, until) || x.overloaded(from, until, true)
}

// foreign is how much of the slots' time the trouble of others may have taken between from and to.
func (x *health) foreign(from, to instant, c reference.Channel, waiting instant) instant {
	begun, _ := slices.BinarySearch(x.begins, to+1)
	over, _ := slices.BinarySearch(x.ends, from)
	cost := instant(begun-over) * x.channels * x.send
	for _, other := range reference.Channels {
		wide := x.choose("only "+string(other), func(t *trouble) bool { return t.hold == nil && t.channel == other })
		if other != c && meets(wide, from, to) {
			cost += waiting * x.send
		}
	}
	return cost
}

// named are the times of trouble that names h, and no other channel than that of r if there is one.
func (x *health) named(h *hold, r *reminder) []spell {
	var out []spell
	for _, i := range h.troubles {
		if s := &x.troubles[i]; s.hold == h && (r == nil || s.channel == "" || s.channel == r.channel) {
			out = join(out, s.spell)
		}
	}
	return out
}
