using System.ComponentModel;
using Faster.Contracts;
using Faster.Engines;
using Faster.Opening;
using Faster.Threads;

namespace Faster;

/// <summary>
/// The FASTER engine, for <see cref="StoreAttribute.Engine"/>: a hash index over a hybrid log, which is partly in
/// memory and partly on disk. The default.
/// </summary>
[Engine(typeof(FasterStore<,>), typeof(FasterSession), typeof(StoreOptions))]
public static class FasterEngine
{
    /// <summary>
    /// Opens a store in a folder, in the state of its last commit, or empty if there is no commit.
    /// </summary>
    /// <param name="path">The folder, or null for a store that is kept in memory only and cannot commit.</param>
    /// <param name="options">The options, or null for the defaults.</param>
    /// <param name="schema">The layout of the records.</param>
    /// <param name="make">Makes the store, of the emitted type.</param>
    /// <param name="progress">Receives the progress of a recovery on threads of the store; or null.</param>
    /// <param name="cancellationToken">Cancels the opening.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="StoreOpenException">
    /// The folder cannot be used, or the options conflict; the message says why.
    /// </exception>
    /// <exception cref="DamagedDataException">
    /// Data in the folder is damaged; the message names the file and the byte offset.
    /// </exception>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static async ValueTask<TStore> OpenAsync<TStore>(
        string? path, StoreOptions? options, RecordSchema schema, Func<StoreStart, TStore> make,
        IProgress<RecoveryProgress>? progress, CancellationToken cancellationToken)
        where TStore : FasterStore => (TStore)await StoreOpener.OpenAsync(
            path, options ?? new(), schema, mustExist: false, progress, cancellationToken, make: make).Here();

    /// <summary>Recovers a store from the last commit in a folder, which must have one (paper 004 §5.5).</summary>
    /// <param name="path">The folder of the store.</param>
    /// <param name="options">The options, or null for the defaults.</param>
    /// <param name="schema">The layout of the records.</param>
    /// <param name="make">Makes the store, of the emitted type.</param>
    /// <param name="progress">Receives the progress of the recovery on threads of the store; or null.</param>
    /// <param name="cancellationToken">Cancels the recovery, which changes nothing in the folder.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="StoreOpenException">
    /// The folder has no commit or cannot be used, or the options conflict; the message says why.
    /// </exception>
    /// <exception cref="DamagedDataException">
    /// Data in the folder is damaged; the message names the file and the byte offset.
    /// </exception>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static async ValueTask<TStore> RecoverAsync<TStore>(
        string path, StoreOptions? options, RecordSchema schema, Func<StoreStart, TStore> make,
        IProgress<RecoveryProgress>? progress, CancellationToken cancellationToken)
        where TStore : FasterStore
    {
        ArgumentNullException.ThrowIfNull(path);
        return (TStore)await StoreOpener.OpenAsync(
            path, options ?? new(), schema, mustExist: true, progress, cancellationToken, make: make).Here();
    }
}
