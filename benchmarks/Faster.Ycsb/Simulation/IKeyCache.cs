namespace Faster.Ycsb.Simulation;

/// <summary>A cache of keys that holds so many of them, and on a miss gives up one by a rule of its own.</summary>
/// <remarks>Keys are numbers from 0 on. One thread's.</remarks>
internal interface IKeyCache
{
    /// <summary>Accesses a key, which is in the cache afterwards.</summary>
    /// <returns>Whether it was there.</returns>
    bool Touch(int key);
}
