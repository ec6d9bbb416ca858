using Faster.Commits;
using Faster.Contracts;
using Faster.Engines;
using Faster.Operations.Waiting;
using Faster.Probes;
using Faster.Tests.Operations;

namespace Faster.Tests.LogCommits;

/// <summary>
/// Stops the threads of a store when a commit has come to a phase, until the test lets them go on: what sessions do in
/// just that phase is then a matter of the test.
/// </summary>
/// <remarks>The store is opened while <see cref="PhaseProbe"/> is the probe of the test.</remarks>
internal sealed class HeldPhase : IDisposable
{
    [ThreadStatic] private static bool _isTest;

    private readonly PhaseProbe _probe = (PhaseProbe)Probe.Current!;
    private readonly FasterStore _store;
    private readonly CommitPhase _phase;
    private readonly ManualResetEventSlim _reached = new(), _released = new();

    /// <summary>Stops the store at a phase of its next commit.</summary>
    public HeldPhase(FasterStore store, CommitPhase phase)
    {
        (_store, _phase) = (store, phase);
        _probe.Held = this;
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
        _probe.Held = null;
        _released.Set();
    }

    /// <summary>Called at each point.</summary>
    public void Look()
    {
        if (_isTest || _store.Commits.Current.Phase != _phase) return;
        _reached.Set();
        _released.Wait();
    }
}
