package faults

import "strings"

// check looks at the line as a whole: what is missing, what excludes each other, what could never
// strike.
func (p *parser) check() error {
	for _, slot := range p.kind.needs {
		if !p.has(slot) {
			return p.wrong(len(p.words), "", "%s needs %s", p.kind.name, p.kind.slotText(slot))
		}
	}
	for _, set := range p.kind.oneOf {
		if err := p.checkOneOf(set); err != nil {
			return err
		}
	}
	if err := p.checkCall(); err != nil {
		return err
	}
	if p.kind.check != nil {
		if key, problem := p.kind.check(p.fault); problem != "" {
			return p.wrong(p.wordOf(key), "", "%s", problem)
		}
	}
	return nil
}

// wordOf is the word of a key, or the one that names whom if the line has no such key.
func (p *parser) wordOf(key string) int {
	if at, found := p.at[slotOf(key)]; found {
		return at
	}
	return p.whoAt
}

// slotText names a key as a line would have it.
func (k kind) slotText(slot string) string {
	if slot != aCall {
		return slot + "="
	}
	var forms []string
	for _, phase := range k.phases {
		forms = append(forms, string(phase)+"=POINT")
	}
	return strings.Join(forms, " or ")
}

func (p *parser) checkOneOf(set []string) error {
	var had, texts []string
	for _, slot := range set {
		texts = append(texts, p.kind.slotText(slot))
		if p.has(slot) {
			had = append(had, slot)
		}
	}
	switch len(had) {
	case 0:
		return p.wrong(len(p.words), "", "%s needs %s", p.kind.name, strings.Join(texts, " or "))
	case 1:
		return nil
	}
	return p.wrong(p.at[had[1]], "", "%s= and %s= exclude each other", p.nameIn(had[0]), p.nameIn(had[1]))
}

// checkCall refuses a call that the kind doesn't strike, that the one named never makes, or that
// has no hold or channel to be narrowed down by.
func (p *parser) checkCall() error {
	f := &p.fault
	c := callOf(f.Point)
	if f.Point == "" {
		return p.checkNoCall()
	}
	if f.Who == "" && p.kind.whoDefault == theCaller {
		f.Who = c.role
	}
	switch {
	case p.kind.points != nil && !p.kind.points(c):
		return p.wrong(p.at[aCall], "", "%s doesn't strike %s; it strikes %s", f.Kind, c.short, strings.Join(shorts(p.kind.points), ", "))
	case !f.couldBe(c):
		return p.wrong(p.whoAt, "", "%s has nothing to do with %s: a %s asks, and the %s answers", f.Who, c.short, c.role, c.port)
	case f.On != "" && (!c.hold || c.point == WorkerReceive && f.Phase == Before):
		return p.wrong(p.at["on"], "", "%s=%s is not about one hold; leave out on=", f.Phase, c.short)
	case f.Channel != "" && !c.channel:
		return p.wrong(p.at["channel"], "", "%s is not about one channel; leave out channel=", c.short)
	}
	return nil
}

func (p *parser) checkNoCall() error {
	f := &p.fault
	if f.Who == "" && p.kind.whoDefault != theCaller {
		f.Who = p.kind.whoDefault
	}
	if f.Channel != "" && (f.Who == portQueue || roleOf(f.Who) != roleWorker) {
		return p.wrong(p.at["channel"], "", "no call of %s is about one channel; leave out channel=", f.Who)
	}
	return nil
}

// couldBe says whether whom f names could have to do with the call.
func (f Fault) couldBe(c call) bool {
	switch f.Who {
	case "":
		return true
	case portStore, portQueue, portProvider:
		return c.port == f.Who
	}
	return c.madeBy(roleOf(f.Who))
}
