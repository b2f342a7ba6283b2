use crate::{
    attack::Lists,
    distance::priced::{Ask, Workspace},
};

/// Numbers below n, the same ones each time.
pub fn dice() -> impl FnMut(u64) -> u64 {
    let mut state: u64 = 5;
    move |n| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(11);
        (state >> 33) % n
    }
}

/// Asks the points of lists for what is cheapest at prices of all sizes, up to a limit, some of them not for sale, with a tree as it is and one that is halved anew:
/// worths and costs must be those of the lists. Returns how many offers were compared. Only the first 20 seekers ask.
pub fn offers_are_those_of_lists(lists: &dyn Lists, what: &str) -> usize {
    let mut dice = dice();
    let n = lists.n_sought();
    let points = lists.points().expect("each pair is possible");
    let mut priced = points.space.priced(&points.sought);
    assert_eq!(priced.n_points(), n);
    let (mut list, mut offers) = (Vec::new(), 0);
    for (round, size) in [0.0, 0.2, 3.0, 1e9, 0.05, 1e35, 1e-7]
        .into_iter()
        .enumerate()
    {
        let mut prices: Vec<f64> = (0..n)
            .map(|_| size * (dice(1000) as f64 / 1000.0 - 0.8))
            .collect();
        if round == 2 && n > 3 {
            // One that is far from all others.
            prices[3] = -1e12;
        }
        if round == 4 {
            let few = prices.iter_mut().step_by(3);
            few.for_each(|price| *price = f64::NEG_INFINITY);
        }
        for searches in [1, n] {
            priced.set_prices(&prices, searches);
            for query in 0..u32::try_from(lists.n_seekers().min(20)).unwrap() {
                lists.list(query as usize, &mut list);
                for (k, below) in [(1, f64::INFINITY), (7, f64::INFINITY), (40, 0.2), (0, 1.0)] {
                    let ask = Ask {
                        k,
                        below,
                        turn: query,
                    };
                    let row = points.seekers.record(query as usize);
                    let found = priced.cheapest(row, ask, &mut Workspace::default());
                    let worths = list.iter();
                    let worths = worths.map(|&(record, cost)| cost - prices[record as usize]);
                    let mut all: Vec<f64> = worths.filter(|&worth| worth < below).collect();
                    all.sort_by(f64::total_cmp);
                    all.truncate(k);
                    let worths: Vec<f64> = found.iter().map(|offer| offer.worth).collect();
                    assert_eq!(worths, all, "{what}, prices of {size}, {k} below {below}");
                    for offer in found {
                        assert_eq!(
                            (offer.point, offer.key),
                            list[offer.point as usize],
                            "{what}"
                        );
                        offers += 1;
                    }
                }
            }
        }
    }
    offers
}
