namespace Faster.Ycsb.Simulation;

/// <summary>A cache of a fixed number of keys, which on a miss evicts one by a rule of its own.</summary>
/// <remarks>Keys are numbers from 0 on. Used by one thread.</remarks>
internal interface IKeyCache
{
    /// <summary>Accesses a key, which is in the cache afterwards.</summary>
    /// <returns>Whether it was there.</returns>
    bool Touch(int key);
}
