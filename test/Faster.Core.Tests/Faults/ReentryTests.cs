using Faster.Contracts;
using Faster.Engines;
using Faster.Log;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Faults;

/// <summary>
/// A user function that calls its own store is refused at once, by whichever session it calls: it is inside an
/// operation, and what it would wait for may wait for that. What is done at once in a quiet epoch is let in.
/// </summary>
public sealed class ReentryTests
{
    private const int Known = FaultedStore.Keys - 1, OnDisk = 5, Deleted = 6, Unknown = -1;

    public static TheoryData<string, string> Calls
    {
        get
        {
            var calls = new TheoryData<string, string>();
            foreach (string outer in new[] { "first", "pending" })
            {
                foreach (string inner in
                    new[] { "miss", "disk", "insert", "complete", "commit", "start", "close" })
                    calls.Add(outer, inner);
            }

            return calls;
        }
    }

    [Theory, MemberData(nameof(Calls))]
    public Task A_call_of_another_session_is_refused(string outer, string inner) => Guard.RunAsync(() =>
    {
        using var store = new FaultedStore();
        store.Fill();
        FasterSession other = store.Store.StartSession("other");
        Assert.Equal(Status.Ok, other.Remove(Deleted)); // its tag leads to the tombstone, so no read ends at the index
        Assert.Equal(Known * 3L, other.Get(Known));
        Exception? refused = null;
        void Call() => refused = Record.Exception(() =>
        {
            switch (inner)
            {
                case "miss": other.Get(Deleted); break;
                case "disk": other.Get(OnDisk); break;
                case "insert": other.Put(Unknown - 1, 1); break;
                case "complete": other.CompletePending(wait: true); break;
                case "commit": store.Store.CommitAsync().GetAwaiter().GetResult(); break;
                case "start": store.Store.StartSession(); break;
                default: store.Store.Dispose(); break;
            }
        });
        long key = outer == "first" ? Unknown : OnDisk;
        var add = new Add(1, new CounterOperations.Outcome(), Call);
        Status status = store.Session.Rmw(Key(key), ref add);
        if (outer == "pending") Assert.Equal(Status.Pending, status);
        store.Session.CompletePending(wait: true);

        var misuse = Assert.IsType<SessionMisuseException>(refused);
        Assert.Contains("user function", misuse.Message, StringComparison.Ordinal);
        Assert.Equal(outer == "first" ? 1 : (key * 3) + 1, store.Session.Get(key));
        other.AddTo(Unknown - 2, 1); // nothing is left behind on the thread
        Assert.Null(store.Store.Epochs.LongestHolder(out _));
        Assert.Equal(2, store.Store.Statistics.Sessions);
    });

    [Fact]
    public Task A_function_that_lets_the_refusal_pass_fails_its_operation() => Guard.RunAsync(() =>
    {
        using var store = new FaultedStore();
        FasterSession other = store.Store.StartSession("other");
        var add = new Add(1, null, () => other.Put(2, 2));
        Assert.Throws<SessionMisuseException>(() => store.Session.Rmw(Key(1), ref add));
        Assert.Null(store.Session.Get(1));
        other.Put(2, 2);
        Assert.Equal(2, other.Get(2));
    });

    /// <summary>What is done at once in its quiet epoch waits for nothing, and looks at no mark.</summary>
    [Theory, InlineData("hit"), InlineData("absent"), InlineData("link")]
    public Task A_call_that_is_done_at_once_is_let_in(string inner) => Guard.RunAsync(() =>
    {
        const int known = 1, absent = 2, firstNew = 3, attempts = 50;
        using var store = new FaultedStore();
        using FasterSession other = store.Store.StartSession("other");
        store.Session.Put(known, 3);
        _ = ((PagedLog)store.Store.Log).ShiftReadOnlyToTail(); // so a blind update links a record
        bool isLetIn = false;
        for (int i = 0; i < attempts && !isLetIn; i++) // what the store does beside may end the quiet epoch
        {
            Assert.Equal(3, other.Get(known));
            Exception? refused = null, marked = null;
            void Call()
            {
                marked = Record.Exception(() => other.CompletePending(wait: false));
                refused = Record.Exception(() =>
                {
                    switch (inner)
                    {
                        case "hit": Assert.Equal(3, other.Get(known)); break;
                        case "absent": Assert.Null(other.Get(absent)); break;
                        default:
                            var put = new PlainOperations.Upsert(4);
                            Assert.Equal(Status.Ok, other.Upsert(Key(known), ref put));
                            break;
                    }
                });
            }

            var add = new Add(1, null, Call);
            Assert.Equal(Status.Created, store.Session.Rmw(Key(firstNew + i), ref add));
            Assert.IsType<SessionMisuseException>(marked);
            if (refused is not null) Assert.IsType<SessionMisuseException>(refused);
            isLetIn = refused is null;
            Assert.Equal(1, store.Session.Get(firstNew + i));
        }

        Assert.True(isLetIn, $"None of {attempts} calls was let in.");
        Assert.Equal(inner == "link" ? 4 : 3, store.Session.Get(known));
        Assert.Null(store.Session.Get(absent));
        Assert.Null(store.Store.Epochs.LongestHolder(out _));
    });

    /// <summary>Whether a hit is inside a user function is not looked at; what waits there has a limit.</summary>
    [Fact]
    public Task A_call_inside_a_hit_that_waits_for_it_ends_by_name() => Guard.RunAsync(() =>
    {
        using var store = new FaultedStore();
        using FasterSession other = store.Store.StartSession("other");
        store.Session.Put(1, 1);
        store.Store.Core.StallLimit = TimeSpan.FromMilliseconds(100);
        Exception? refused = null;
        var add = new Add(1, null, () => refused = Record.Exception(() => other.AddTo(1, 1))); // whose latch is held
        Assert.Equal(Status.Ok, store.Session.Rmw(Key(1), ref add));
        Errors.Is(ErrorReason.UserFunction, refused);
        Assert.Equal(2, store.Session.Get(1));
    });

    [Fact]
    public Task Another_store_may_be_called() => Guard.RunAsync(() =>
    {
        using var store = new FaultedStore();
        using var another = new FaultedStore();
        store.Session.Put(1, 1);
        another.Session.Put(1, 1);
        var add = new Add(1, null, () => another.Session.AddTo(1, 5));
        Assert.Equal(Status.Ok, store.Session.Rmw(Key(1), ref add));
        Assert.Equal(6, another.Session.Get(1));
        store.Session.AddTo(1, 1);
        Assert.Equal(3, store.Session.Get(1));
    });
}
