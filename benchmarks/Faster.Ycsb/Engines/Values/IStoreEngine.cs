using Faster.Workload;

namespace Faster.Ycsb.Engines.Values;

/// <summary>An engine that is a store of ours, for experiments that look inside.</summary>
internal interface IStoreEngine : IEngine
{
    /// <summary>What the store says of itself.</summary>
    StoreStatistics Statistics { get; }
}
