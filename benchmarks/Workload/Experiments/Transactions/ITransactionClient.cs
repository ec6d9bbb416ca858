namespace Faster.Workload.Experiments.Transactions;

/// <summary>Runs transactions on the engine whose turn it is, until the turn ends.</summary>
internal interface ITransactionClient
{
    /// <summary>The times of transactions of the first engine; to be looked at when it has stopped.</summary>
    LatencyHistogram Latencies { get; }

    /// <summary>Whether times are taken.</summary>
    bool IsMeasured { get; set; }

    /// <summary>Whether it has stopped, by request or because it failed.</summary>
    bool HasEnded { get; }

    /// <summary>Starts to work.</summary>
    void Start();

    /// <summary>Waits until it has stopped, and rethrows what it failed with.</summary>
    void Join();

    /// <summary>How many transactions an engine has committed; any thread may ask at any time.</summary>
    long DoneFor(int engine);

    /// <summary>How many keys it has updated; to be looked at when it has stopped.</summary>
    long UpdatesFor(int engine);
}
