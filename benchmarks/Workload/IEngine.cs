namespace Faster.Workload;

/// <summary>A store under measurement. Safe for any number of workers at once.</summary>
internal interface IEngine : IAsyncDisposable
{
    /// <summary>
    /// The bytes of memory that the engine says it uses for records and index; null if it does not say.
    /// </summary>
    long? MemoryBytes => null;

    /// <summary>Starts a client of the store, to be used by one thread at a time.</summary>
    IWorker StartWorker();
}
