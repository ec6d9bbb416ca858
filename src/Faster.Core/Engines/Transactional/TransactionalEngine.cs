using System.ComponentModel;
using Faster.Contracts;
using Faster.Engines.Transactional;
using Faster.Threads;

namespace Faster;

/// <summary>
/// The transactional engine, for <see cref="StoreAttribute.Engine"/>: records in memory that transactions over several
/// keys read and write as if they ran one after another, with commits to a folder (paper 004 §4).
/// </summary>
[Engine(typeof(TransactionalStore<,>), typeof(TransactionalSession), typeof(TransactionalOptions))]
public static class TransactionalEngine
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
        string? path, TransactionalOptions? options, RecordSchema schema, Func<TransactionalStart, TStore> make,
        IProgress<RecoveryProgress>? progress, CancellationToken cancellationToken)
        where TStore : TransactionalStore =>
        await new TransactionalOpener<TStore>(options ?? new(), schema, make).OpenAsync(
            path, mustExist: false, progress, cancellationToken).Here();

    /// <summary>Recovers a store from the last commit in a folder, which must have one (paper 004 §4.1).</summary>
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
        string path, TransactionalOptions? options, RecordSchema schema, Func<TransactionalStart, TStore> make,
        IProgress<RecoveryProgress>? progress, CancellationToken cancellationToken)
        where TStore : TransactionalStore
    {
        ArgumentNullException.ThrowIfNull(path);
        return await new TransactionalOpener<TStore>(options ?? new(), schema, make).OpenAsync(
            path, mustExist: true, progress, cancellationToken).Here();
    }
}
