using Faster.Analytics.Scans;

namespace Faster.Tests.Analytics.Scans;

public sealed class KeySetTests
{
    [Theory]
    [InlineData(1, 8)]
    [InlineData(2, 40)]
    [InlineData(3, 3)]
    public void It_holds_what_a_set_holds_within_its_bytes(int seed, int longest)
    {
        var random = new Random(seed);
        var set = new KeySet(16 << 10);
        var model = new Dictionary<string, ulong>();
        ulong last = ulong.MaxValue;
        for (int i = 0; i < 20_000; i++)
        {
            byte[] key = new byte[random.Next(longest + 1)];
            foreach (ref byte b in key.AsSpan()) b = (byte)random.Next(4);
            string text = Convert.ToHexString(key);
            ulong hash = (ulong)(uint)text.GetHashCode(StringComparison.Ordinal) % 64 << 58; // many keys share one
            if (hash > last) continue;
            KeySetOutcome expected = model.ContainsKey(text) ? KeySetOutcome.Present : KeySetOutcome.Added;
            KeySetOutcome outcome = set.Add(hash, key);
            Assert.InRange(set.Bytes, 0, 8 << 10);
            if (outcome == KeySetOutcome.Full)
            {
                Assert.Equal(KeySetOutcome.Added, expected);
                last = last == 0 ? 0 : last / 2;
                set.RemoveAbove(last);
                foreach (string gone in model.Where(pair => pair.Value > last).Select(pair => pair.Key).ToArray())
                    model.Remove(gone);
                if (last == 0) return;
                continue;
            }

            Assert.Equal(expected, outcome);
            model[text] = hash;
            Assert.Equal(model.Count, set.Count);
        }

        Assert.All(model, pair => Assert.Equal(
            KeySetOutcome.Present, set.Add(pair.Value, Convert.FromHexString(pair.Key))));
        set.Clear();
        Assert.Equal(0, set.Count);
    }

    [Fact]
    public void Equal_hashes_are_not_equal_keys_and_an_empty_key_is_one()
    {
        var set = new KeySet(4 << 10);
        Assert.Equal(KeySetOutcome.Added, set.Add(5, []));
        Assert.Equal(KeySetOutcome.Added, set.Add(5, [0]));
        Assert.Equal(KeySetOutcome.Added, set.Add(5, [0, 0]));
        Assert.Equal(KeySetOutcome.Added, set.Add(5, new byte[30]));
        Assert.Equal(KeySetOutcome.Added, set.Add(5, new byte[31]));
        Assert.Equal(KeySetOutcome.Present, set.Add(5, []));
        Assert.Equal(KeySetOutcome.Present, set.Add(5, new byte[30]));
    }

    [Fact]
    public void One_key_always_fits()
    {
        var set = new KeySet(4 << 10);
        Assert.Equal(KeySetOutcome.Added, set.Add(1, new byte[100_000]));
        Assert.Equal(KeySetOutcome.Full, set.Add(2, new byte[100_000]));
        Assert.Equal(KeySetOutcome.Added, set.Add(2, new byte[100_000], mayExceed: true));
    }
}
