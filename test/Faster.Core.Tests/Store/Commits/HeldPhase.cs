using Faster.Commits;
using Faster.Contracts;
using Faster.Store;
using Faster.Store.Waiting;
using Faster.Tests.Store.Operations;

namespace Faster.Tests.Store.Commits;

/// <summary>
/// Stops the threads of a store when a commit has come to a phase, until the test lets them go on: what sessions do in
/// just that phase is then a matter of the test.
/// </summary>
/// <typeparam name="TTest">The test class, whose tests run one after another.</typeparam>
internal sealed class HeldPhase<TTest> : IDisposable
{
    [ThreadStatic] private static bool _isTest;
    private static HeldPhase<TTest>? _current;

    private readonly FasterStore<Probe> _store;
    private readonly CommitPhase _phase;
    private readonly ManualResetEventSlim _reached = new(), _released = new();

    /// <summary>Stops the store at a phase of its next commit.</summary>
    public HeldPhase(FasterStore<Probe> store, CommitPhase phase)
    {
        (_store, _phase) = (store, phase);
        Volatile.Write(ref _current, this);
    }

    /// <summary>Waits until a thread of the store has been stopped, and does something before it goes on.</summary>
    public void Meanwhile(Action action)
    {
        Assert.True(_reached.Wait(TestBudget.StallTimeout), $"No commit came to the phase {_phase}.");
        _isTest = true;
        try
        {
            action();
        }
        finally
        {
            _isTest = false;
            Dispose();
        }
    }

    /// <summary>Lets all threads continue.</summary>
    public void Dispose()
    {
        Volatile.Write(ref _current, null);
        _released.Set();
    }

    private void Look()
    {
        if (_isTest || _store.Commits.Current.Phase != _phase) return;
        _reached.Set();
        _released.Wait();
    }

    /// <summary>The probe of the store.</summary>
    internal readonly struct Probe : IProbe
    {
        public static void Point(ProbePoint point) => Volatile.Read(ref _current)?.Look();

        public static bool Has(SeededBug bug) => false;
    }
}
