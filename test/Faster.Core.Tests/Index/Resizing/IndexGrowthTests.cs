using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Index.Resizing;
using Faster.Log.Records;

namespace Faster.Tests.Index.Resizing;

/// <summary>Growth, one thread stepping through its phases.</summary>
public sealed unsafe class IndexGrowthTests : IDisposable
{
    private readonly FakeStore _store = new(bucketCount: 24, capacity: 4096);
    private readonly EpochSlot* _session, _driver;
    private readonly ulong[] _keys;

    public IndexGrowthTests()
    {
        _session = _store.Epochs.Acquire("session");
        _driver = _store.Epochs.Acquire("driver");
        var random = new Random(2);
        // Few tags, so that chains of records are long and split in two.
        _keys = [.. Enumerable.Range(0, 1000)
            .Select(_ => (ulong)random.NextInt64(1L << 50) | ((ulong)random.Next(40) << 50))];
        foreach (ulong key in _keys) Assert.True(_store.Add(_session, key));
    }

    public void Dispose()
    {
        _store.Epochs.Release(_session);
        _store.Epochs.Release(_driver);
        _store.Dispose();
    }

    [Fact]
    public void A_driver_alone_ends_a_growth_and_nothing_is_lost()
    {
        for (long count = 48; count <= 24 << 6; count *= 2)
        {
            Assert.True(_store.TryStart(ResizeKind.Split));
            _store.Drive(_driver);
            Assert.Equal(count, _store.Index.BucketCount);
            Assert.Equal(_keys.Order(), _store.CheckWhole().Order());
        }

        Assert.Equal(6, _store.GrowthsFinished);
        Assert.False(_store.Index.IsCrowded);
    }

    [Fact]
    public void Operations_alone_end_a_growth()
    {
        Assert.True(_store.TryStart(ResizeKind.Split));
        foreach (ulong key in _keys) Assert.True(_store.Contains(_session, key));
        _store.Epochs.Drain();
        Assert.Equal(48, _store.Index.BucketCount);
        Assert.Equal(1, _store.GrowthsFinished);
        Assert.Equal(_keys.Order(), _store.CheckWhole().Order());
    }

    [Fact]
    public void A_second_growth_is_refused_until_the_old_table_is_freed()
    {
        long bytes = _store.Index.Bytes;
        _store.Epochs.Enter(_driver);
        Assert.True(_store.TryStart(ResizeKind.Split));
        Assert.False(_store.TryStart(ResizeKind.Split));
        Assert.True(_store.Index.Bytes > bytes);
        _store.Epochs.Leave(_driver);
        foreach (ulong key in _keys.Skip(1)) _store.Contains(_session, key);
        _store.Drive(_driver);
        Assert.True(_store.TryStart(ResizeKind.Split));
    }

    [Fact]
    public void A_session_that_knows_of_the_growth_pins_while_others_may_not_know()
    {
        _store.Epochs.Enter(_driver); // may have read the stable phase
        Assert.True(_store.TryStart(ResizeKind.Split));
        _store.Epochs.Enter(_session);
        Assert.True(_store.Index.TryLocate(_keys[0], out BucketRef pinned));
        Assert.True(pinned.Pin >= 0);
        _store.Epochs.Leave(_driver);

        // All sessions know now: it is the pin that holds the chunk.
        Assert.False(_store.Index.TryLocate(_keys[0], out _));
        _store.Index.Unpin(pinned);
        _store.Epochs.Leave(_session);

        _store.Epochs.Enter(_session);
        Assert.True(_store.Index.TryLocate(_keys[0], out BucketRef resized));
        Assert.Equal(-1, resized.Pin);
        _store.Epochs.Leave(_session);
        _store.Drive(_driver);
        Assert.Equal(_keys.Order(), _store.CheckWhole().Order());
    }

    [Fact]
    public void A_split_that_throws_can_be_done_again_and_loses_nothing()
    {
        var chains = new Throwing(_store, every: 5);
        Assert.True(_store.Index.TryStart(ResizeKind.Split, chains, () => _store.GrowthsFinished++));
        int thrown = 0;
        while (_store.Index.IsResizing)
        {
            try
            {
                _store.Drive(_driver);
            }
            catch (LimitExceededException)
            {
                thrown++;
            }
        }

        Assert.True(thrown > 10);
        Assert.Equal(1, _store.GrowthsFinished);
        Assert.Equal(_keys.Order(), _store.CheckWhole().Order());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Chains_are_parted_and_joined_under_an_epoch(bool isMerge)
    {
        ResizeKind kind = isMerge ? ResizeKind.Join : ResizeKind.Split;
        var chains = new UnderEpoch(_store);
        bool finished = false;
        Assert.True(_store.Index.TryStart(kind, chains, () => finished = true));
        _store.Drive(_driver); // the helper's
        Assert.True(finished && chains.Calls > 100);

        chains.Calls = 0;
        Assert.True(_store.Index.TryStart(kind, chains, static () => { }));
        foreach (ulong key in _keys) _store.Contains(_session, key); // an operation's
        Assert.True(chains.Calls > 100);
    }

    [Fact]
    public void Both_sides_may_share_a_chain_that_cannot_be_parted()
    {
        Assert.True(_store.Index.TryStart(ResizeKind.Split, new Sharing(), static () => { }));
        _store.Drive(_driver);
        foreach (ulong key in _keys) Assert.True(_store.Contains(_session, key));
    }

    [Fact]
    public void Crowded_is_raised_again_after_a_growth()
    {
        int raised = 0;
        _store.Index.Crowded = () => raised++;
        Assert.True(_store.TryStart(ResizeKind.Split));
        _store.Drive(_driver);
        Assert.Equal(0, raised);
        var random = new Random(3);
        for (int i = 0; i < 1000; i++) _store.Add(_session, (ulong)random.NextInt64());
        Assert.Equal(1, raised);
    }

    private sealed class Throwing(IChainResizer inner, int every) : IChainResizer
    {
        private int _calls;
        private long _last;

        public void Split(long head, in SplitRule rule, out long left, out long right)
        {
            // Never twice running for one chain, so that the second try goes on.
            if (++_calls % every == 0 && head != _last)
            {
                _last = head;
                throw new LimitExceededException("no memory, says the test");
            }

            inner.Split(head, rule, out left, out right);
        }

        public bool TryJoin(long left, long right, ulong hash, long largerBucketCount, out long head) =>
            throw new NotSupportedException();
    }

    // No action that waits for all epochs runs during a call: the log can't take away what the call works in.
    private sealed class UnderEpoch(FakeStore inner) : IChainResizer
    {
        public int Calls { get; set; }

        public void Split(long head, in SplitRule rule, out long left, out long right)
        {
            Look();
            inner.Split(head, rule, out left, out right);
        }

        public bool TryJoin(long left, long right, ulong hash, long largerBucketCount, out long head)
        {
            Look();
            return inner.TryJoin(left, right, hash, largerBucketCount, out head);
        }

        private void Look()
        {
            Calls++;
            bool ran = false;
            inner.Epochs.Bump(() => ran = true);
            Assert.False(ran);
        }
    }

    private sealed class Sharing : IChainResizer
    {
        public void Split(long head, in SplitRule rule, out long left, out long right) => left = right = head;

        public bool TryJoin(long left, long right, ulong hash, long largerBucketCount, out long head) =>
            throw new NotSupportedException();
    }
}
