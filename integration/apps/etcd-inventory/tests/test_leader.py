def test_a_lease_is_granted_once(leases):
    before = set(leases.all())
    lease = leases.grant(60)
    assert set(leases.all()) - before == {lease}
    leases.revoke(lease)


def test_a_lease_with_an_id_of_our_own_is_granted_once(leases):
    before = set(leases.all())
    lease = leases.grant_own(60)
    assert set(leases.all()) - before == {lease}
    leases.revoke(lease)


def test_a_revoked_lease_is_gone(leases):
    lease = leases.grant_own(60)
    leases.revoke(lease)
    leases.revoke(lease)
    assert lease not in leases.all()


def test_a_lease_is_kept_alive(leases):
    lease = leases.grant_own(60)
    assert leases.keep_alive(lease) == 60
    leases.revoke(lease)
    assert leases.keep_alive(lease) == 0


def test_the_first_who_stands_leads(election, leases):
    lease = leases.grant_own(60)
    assert election.stand("ada", lease)
    assert election.leader() == "ada"
    leases.revoke(lease)


def test_the_second_who_stands_does_not_lead(election, leases):
    lease = leases.grant_own(60)
    assert election.stand("ada", lease)
    assert not election.stand("bob", lease)
    assert election.leader() == "ada"
    leases.revoke(lease)


def test_whoever_resigns_no_longer_leads(election, leases):
    lease = leases.grant_own(60)
    assert election.stand("ada", lease)
    election.resign("bob")
    assert election.leader() == "ada"
    election.resign("ada")
    assert election.leader() is None
    leases.revoke(lease)


def test_a_leader_whose_lease_is_revoked_leads_no_more(election, leases):
    lease = leases.grant_own(60)
    assert election.stand("ada", lease)
    leases.revoke(lease)
    assert election.leader() is None
