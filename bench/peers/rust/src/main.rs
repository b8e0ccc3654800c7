//! Sorts of Rust. The argument is the number of threads; README.md has the protocol.
use radsort::Key;
use rdst::{RadixKey, RadixSort};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::time::Instant;
use voracious_radix_sort::{RadixSort as Voracious, Radixable};

/// A key and its place.
#[derive(Copy, Clone, Default)]
#[repr(C)]
struct Pair<K, V> {
    key: K,
    value: V,
}

#[derive(Copy, Clone, Default)]
#[repr(C)]
struct S16 {
    key: f32,
    i: u32,
    rest: u64,
}

#[derive(Copy, Clone, Default)]
#[repr(C)]
struct S24 {
    key: f32,
    rest: u32,
    i: u64,
    more: u64,
}

#[derive(Copy, Clone, Default)]
#[repr(C)]
struct S64 {
    key: u64,
    i: u64,
    rest: [u64; 6],
}

/// What the sorts need of a key beside the traits of each crate.
trait Word: Copy + Default + PartialOrd + Send + Sync + 'static {
    const NAME: &'static str;
    fn bits(self) -> u64;
    fn read(bytes: &[u8]) -> Vec<Self>;
    fn order(&self, other: &Self) -> Ordering;
}

macro_rules! word {
    ($t:ty, $name:expr, $bits:expr, $order:expr) => {
        impl Word for $t {
            const NAME: &'static str = $name;
            fn bits(self) -> u64 {
                $bits(self)
            }
            fn read(bytes: &[u8]) -> Vec<Self> {
                let words = bytes.chunks_exact(std::mem::size_of::<$t>());
                words.map(|w| <$t>::from_le_bytes(w.try_into().unwrap())).collect()
            }
            fn order(&self, other: &Self) -> Ordering {
                $order(self, other)
            }
        }
    };
}
word!(u16, "u16", |x| x as u64, u16::cmp);
word!(u32, "u32", |x| x as u64, u32::cmp);
word!(u64, "u64", |x| x, u64::cmp);
word!(f32, "f32", |x: f32| x.to_bits() as u64, f32::total_cmp);
word!(f64, "f64", |x: f64| x.to_bits(), f64::total_cmp);

/// Element is a struct with a key, and the place of the key in its list.
trait Element<K>: Copy + Default + Send + Sync {
    fn new(key: K, i: usize) -> Self;
    fn key_of(&self) -> K;
    fn place(&self) -> usize;
}

/// element implements the traits of Element, rdst and voracious for a struct.
macro_rules! element {
    ($e:ty, $k:ty, $v:ident, $place:ty) => {
        impl Element<$k> for $e {
            fn new(key: $k, i: usize) -> Self {
                Self { key, $v: i as $place, ..Default::default() }
            }
            fn key_of(&self) -> $k {
                self.key
            }
            fn place(&self) -> usize {
                self.$v as usize
            }
        }
        impl RadixKey for $e {
            const LEVELS: usize = <$k as RadixKey>::LEVELS;
            #[inline]
            fn get_level(&self, level: usize) -> u8 {
                self.key.get_level(level)
            }
        }
        impl PartialEq for $e {
            fn eq(&self, other: &Self) -> bool {
                self.key == other.key
            }
        }
        impl PartialOrd for $e {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                self.key.partial_cmp(&other.key)
            }
        }
        impl Radixable<$k> for $e {
            type Key = $k;
            #[inline]
            fn key(&self) -> $k {
                self.key
            }
        }
    };
}
element!(Pair<u32, u32>, u32, value, u32);
element!(Pair<u64, u64>, u64, value, u64);
element!(Pair<f32, u32>, f32, value, u32);
element!(Pair<f64, u64>, f64, value, u64);
element!(S16, f32, i, u32);
element!(S24, f32, i, u64);
element!(S64, u64, i, u64);

struct Answer {
    wall: u128,
    cpu: u128,
    sum: u64,
}

fn cpu_nanos() -> u128 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t) };
    t.tv_sec as u128 * 1_000_000_000 + t.tv_nsec as u128
}

fn timed<E>(lists: std::slice::ChunksExactMut<E>, mut sort: impl FnMut(&mut [E])) -> Answer {
    let (cpu, start) = (cpu_nanos(), Instant::now());
    lists.for_each(|list| sort(list));
    let wall = start.elapsed().as_nanos();
    Answer { wall, cpu: cpu_nanos() - cpu, sum: 0 }
}

fn key_sum<K: Word>(keys: impl Iterator<Item = K>) -> u64 {
    let sum = |sum: u64, (i, k): (usize, K)| sum.wrapping_add(k.bits().wrapping_mul(2 * i as u64 + 1));
    keys.enumerate().fold(0, sum)
}

type Contender = Box<dyn Fn(&[u8], usize) -> Answer>;
type Contenders = BTreeMap<String, Contender>;

fn offer(all: &mut Contenders, name: &str, op: &str, kind: &str, c: Contender) {
    all.insert(format!("{name} {op} {kind}"), c);
}

fn offer_sort<K: Word>(all: &mut Contenders, name: &str, sort: impl Fn(&mut [K]) + 'static) {
    let c = move |file: &[u8], n: usize| {
        let mut s = K::read(file);
        let answer = timed(s.chunks_exact_mut(n), &sort);
        Answer { sum: key_sum(s.into_iter()), ..answer }
    };
    offer(all, name, "sort", K::NAME, Box::new(c));
}

fn offer_elements<K: Word, E: Element<K>>(
    all: &mut Contenders,
    name: &str,
    op: &str,
    sort: impl Fn(&mut [E]) + 'static,
) {
    let pairs = op == "pairs"; // rows count from the begin of a list, in structs from that of the file
    let c = move |file: &[u8], n: usize| {
        let keys = K::read(file);
        let place = |i: usize| if pairs { i % n } else { i };
        let mut s: Vec<E> = keys.iter().enumerate().map(|(i, &k)| E::new(k, place(i))).collect();
        let answer = timed(s.chunks_exact_mut(n), &sort);
        let begin = |i: usize| if pairs { i - i % n } else { 0 };
        let sum = key_sum(s.iter().enumerate().map(|(i, e)| keys[begin(i) + e.place()]));
        let square = |sum: u64, e: &E| sum.wrapping_add((e.place() as u64).wrapping_mul(e.place() as u64));
        Answer { sum: s.iter().fold(sum, square), ..answer }
    };
    offer(all, name, op, K::NAME, Box::new(c));
}

fn offer_top<K: Word>(all: &mut Contenders) {
    let top = |file: &[u8], n: usize| {
        let (mut s, k) = (K::read(file), n / 100);
        let answer = timed(s.chunks_exact_mut(n), |list| {
            list.select_nth_unstable_by(k - 1, K::order);
            list[..k].sort_unstable_by(K::order);
        });
        Answer { sum: key_sum(s.chunks_exact(n).flat_map(|list| list[..k].iter().copied())), ..answer }
    };
    offer(all, "select_nth_unstable", "top", K::NAME, Box::new(top));
    let nth = |file: &[u8], n: usize| {
        let mut s = K::read(file);
        let answer = timed(s.chunks_exact_mut(n), |list| {
            list.select_nth_unstable_by(n / 2, K::order);
        });
        Answer { sum: key_sum(s.chunks_exact(n).map(|list| list[n / 2])), ..answer }
    };
    offer(all, "select_nth_unstable", "nth", K::NAME, Box::new(nth));
}

fn keys<K>(all: &mut Contenders, threads: usize)
where
    K: Word + RadixKey + Key + Radixable<K> + voracious_radix_sort::RadixKey,
{
    offer_sort::<K>(all, "sort", |s| s.sort_by(K::order));
    offer_sort::<K>(all, "sort_unstable", |s| s.sort_unstable_by(K::order));
    offer_sort::<K>(all, "glidesort", |s| glidesort::sort_by(s, K::order));
    offer_sort::<K>(all, "radsort", |s| radsort::sort(s));
    offer_sort::<K>(all, "rdst", move |s| s.radix_sort_builder().with_parallel(threads > 1).sort());
    if threads > 1 {
        offer_sort::<K>(all, "voracious", move |s| s.voracious_mt_sort(threads));
    } else {
        offer_sort::<K>(all, "voracious", |s| s.voracious_sort());
    }
    offer_top::<K>(all);
}

fn elements<K, E>(all: &mut Contenders, op: &str, threads: usize)
where
    K: Word + Key + voracious_radix_sort::RadixKey,
    E: Element<K> + RadixKey + Radixable<K> + 'static,
{
    offer_elements::<K, E>(all, "sort_unstable", op, |s| s.sort_unstable_by(|a, b| a.key_of().order(&b.key_of())));
    offer_elements::<K, E>(all, "radsort", op, |s| radsort::sort_by_key(s, |e| e.key_of()));
    offer_elements::<K, E>(all, "rdst", op, move |s| s.radix_sort_builder().with_parallel(threads > 1).sort());
    if threads > 1 {
        offer_elements::<K, E>(all, "voracious", op, move |s| s.voracious_mt_sort(threads));
    } else {
        offer_elements::<K, E>(all, "voracious", op, |s| s.voracious_sort());
    }
}

fn main() {
    let threads = std::env::args().nth(1).map_or(1, |t| t.parse().unwrap());
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().unwrap();
    let mut all = Contenders::new();
    keys::<u16>(&mut all, threads);
    keys::<u32>(&mut all, threads);
    keys::<u64>(&mut all, threads);
    keys::<f32>(&mut all, threads);
    keys::<f64>(&mut all, threads);
    elements::<u32, Pair<u32, u32>>(&mut all, "pairs", threads);
    elements::<u64, Pair<u64, u64>>(&mut all, "pairs", threads);
    elements::<f32, Pair<f32, u32>>(&mut all, "pairs", threads);
    elements::<f64, Pair<f64, u64>>(&mut all, "pairs", threads);
    elements::<f32, S16>(&mut all, "struct16", threads);
    elements::<f32, S24>(&mut all, "struct24", threads);
    elements::<u64, S64>(&mut all, "struct64", threads);

    println!("version rdst 0.20.14, voracious_radix_sort 1.2.0, radsort 0.1.1, glidesort 0.1.2, {}", env!("RUSTC"));
    all.keys().for_each(|name| println!("offer {name}"));
    println!("ready");
    let (mut have, mut file) = (String::new(), Vec::new());
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let f: Vec<&str> = line.split(' ').collect();
        if have != f[4] {
            file = std::fs::read(f[4]).unwrap();
            have = f[4].to_string();
        }
        let contender = &all[&f[..3].join(" ")];
        let run = std::panic::AssertUnwindSafe(|| contender(&file, f[3].parse().unwrap()));
        let a = std::panic::catch_unwind(run).unwrap_or(Answer { wall: 0, cpu: 0, sum: 0 }); // a wrong result
        println!("{} {} {}", a.wall, a.cpu, a.sum);
        std::io::stdout().flush().unwrap();
    }
}
