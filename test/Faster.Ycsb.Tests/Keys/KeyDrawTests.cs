using Faster.Workload;

namespace Faster.Ycsb.Tests.Keys;

public class KeyDrawTests
{
    private const int Keys = 50_000;

    [Fact]
    public void Uniform_keys_are_alike()
    {
        int[] counts = CountsOf(new KeyDraw(Keys, KeyDistribution.Uniform));
        Assert.InRange(counts.Max(), 2, 15); // two a key on average
        Assert.InRange(counts.Count(c => c == 0), Keys / 10, Keys / 5); // e⁻² of them
    }

    [Theory]
    [InlineData(0.5)]
    [InlineData(0.99)]
    [InlineData(1)]
    [InlineData(1.2)]
    public void Zipf_has_the_frequencies_of_its_skew(double theta)
    {
        int[] counts = [.. CountsOf(new KeyDraw(Keys, KeyDistribution.Zipf) { Theta = theta }).OrderDescending()];
        double all = counts.Sum();
        double harmonic = Enumerable.Range(1, Keys).Sum(i => Math.Pow(i, -theta));
        // The first two ranks are exact; the others approximate, and were sorted by what was drawn.
        Assert.Equal(1 / harmonic, counts[0] / all, 0.005);
        double expected = Enumerable.Range(1, Keys / 10).Sum(i => Math.Pow(i, -theta)) / harmonic;
        Assert.Equal(expected, counts.Take(Keys / 10).Sum() / all, 0.12);
    }

    [Theory]
    [InlineData(0.5)]
    [InlineData(0.99)]
    [InlineData(1.22)]
    public void The_part_of_ranks_is_the_part_that_is_drawn(double theta)
    {
        const int Draws = 200_000;
        var ranks = new ZipfRanks(Keys, theta);
        var random = new SplitMix64(3);
        int[] drawn = [.. Enumerable.Range(0, Draws).Select(_ => ranks.Next(ref random))];
        foreach (int rank in (int[])[1, 2, 3, 10, 1000, Keys - 1])
            Assert.Equal(drawn.Count(r => r < rank) / (double)Draws, ranks.PartBelow(rank), 0.005);
        Assert.Equal((0, 1), (ranks.PartBelow(0), ranks.PartBelow(Keys)));
    }

    [Fact]
    public void The_hottest_keys_of_zipf_are_scattered()
    {
        int[] counts = CountsOf(new KeyDraw(Keys, KeyDistribution.Zipf));
        int[] hottest = [.. counts.Index().OrderByDescending(c => c.Item).Take(20).Select(c => c.Index).Order()];
        Assert.True(hottest.Zip(hottest.Skip(1)).All(pair => pair.Second - pair.First > 8));
        Assert.Equal(Keys, Enumerable.Range(0, Keys).Select(r => ZipfKeys.Scatter(r, Keys)).Distinct().Count());
    }

    [Fact]
    public void Spread_keys_are_positive_distinct_and_not_side_by_side()
    {
        var names = new KeyNames(AreSpread: true);
        int[] keys = [.. Enumerable.Range(0, 1 << 18).Select(names.Of)];
        Assert.Equal(keys.Length, keys.Distinct().Count());
        Assert.All(keys, key => Assert.True(key >= 0));
        Assert.Equal(keys.Length / 2, keys.Count(key => key < int.MaxValue / 2), keys.Length / 100.0);
        Assert.True(keys.Zip(keys.Skip(1)).Count(pair => Math.Abs((long)pair.First - pair.Second) < 1 << 20) < 1000);
        Assert.Equal(7, default(KeyNames).Of(7));
    }

    [Fact]
    public void A_hot_set_is_a_fifth_that_gets_nine_tenths()
    {
        int[] counts = CountsOf(new KeyDraw(Keys, KeyDistribution.HotSet));
        int[] hot = [.. Enumerable.Range(0, Keys / 5).Select(r => ZipfKeys.Scatter(r, Keys))];
        Assert.Equal(0.9, hot.Sum(k => counts[k]) / (double)counts.Sum(), 0.01);
    }

    [Fact]
    public void A_moving_hot_set_is_hot_for_a_while_and_visits_all_keys()
    {
        var draw = new KeyDraw(Keys, KeyDistribution.Moving);
        int[] drawn = draw.Streams(1)[0].Drawn.ToArray();
        int[] first = CountsOf(drawn.AsSpan(0, drawn.Length / 20));
        int[] all = CountsOf(drawn);
        int[] hot = [.. Enumerable.Range(0, Keys / 5).Select(r => ZipfKeys.Scatter(r, Keys))];
        Assert.InRange(hot.Sum(k => first[k]) / (double)first.Sum(), 0.75, 0.92);
        Assert.InRange(hot.Sum(k => all[k]) / (double)all.Sum(), 0.15, 0.25);
    }

    [Fact]
    public void The_latest_keys_are_read_most_and_are_there_before_they_are_read()
    {
        var draw = new KeyDraw(Keys, KeyDistribution.Latest, 0.95);
        LatestStream[] streams = LatestStream.Draw(draw, 2, draw.NewArrays(2));
        foreach (LatestStream stream in streams)
        {
            var known = Enumerable.Range(0, Keys).Select(k => (long)k).ToHashSet();
            long inserts = 0;
            long newest = 0;
            long operations = 3L * stream.Drawn.Length; // beyond the first lap
            for (long done = 0; done < operations;)
            {
                foreach (long key in stream.Take())
                {
                    done++;
                    if (key < 0)
                        Assert.Equal(stream.Inserted(inserts++), ~key);
                    bool isRight = key >= 0 ? known.Contains(key) : known.Add(~key);
                    Assert.True(isRight, $"Key {key} came too early or twice.");
                    newest += key >= Keys ? 1 : 0;
                }
            }

            Assert.Equal(inserts, stream.InsertsAfter(operations));
            Assert.Equal(0.05, inserts / (double)operations, 0.005);
            Assert.InRange(newest / (double)operations, 0.4, 1);
        }
    }

    [Fact]
    public void A_trace_is_followed_in_its_order_from_another_place_by_each_thread()
    {
        int[] trace = [.. Enumerable.Range(0, 4096).Select(i => i % 100)];
        KeyStream[] streams = new KeyDraw(100, KeyDistribution.Trace) { Trace = trace }.Streams(2);
        Assert.Equal(trace, streams[0].Drawn.ToArray());
        Assert.Equal([.. trace[2048..], .. trace[..2048]], streams[1].Drawn.ToArray());
    }

    [Fact]
    public void Streams_are_the_same_each_time_and_differ_by_thread()
    {
        var draw = new KeyDraw(Keys, KeyDistribution.Zipf, 0.5);
        KeyStream[] once = draw.Streams(2);
        Assert.True(once[1].Drawn.SequenceEqual(draw.Streams(2)[1].Drawn));
        Assert.False(once[0].Drawn.SequenceEqual(once[1].Drawn));
    }

    [Fact]
    public void A_chunk_is_what_was_drawn_and_the_stream_begins_again()
    {
        int[] drawn = [.. Enumerable.Range(0, 2 * KeyStream.ChunkLength).Select(i => i % 3 == 0 ? ~i : i)];
        var stream = new KeyStream(drawn);
        for (int chunk = 0; chunk < 5; chunk++)
        {
            IEnumerable<int> expected = drawn.Skip(chunk % 2 * KeyStream.ChunkLength).Take(KeyStream.ChunkLength);
            Assert.Equal(expected.Select(k => (long)k), stream.Take().ToArray());
        }
    }

    private static int[] CountsOf(KeyDraw draw) => CountsOf(draw.Streams(1)[0].Drawn);

    private static int[] CountsOf(ReadOnlySpan<int> drawn)
    {
        int[] counts = new int[Keys];
        foreach (int key in drawn)
            counts[key]++;
        return counts;
    }
}
